"""Redstone, compiled: a grid of blocks becomes a net of components, and the net runs tick by tick.

``grid`` holds the blocks, ``net`` works out who can power whom, ``state`` is what changes, ``engine``
is where a run starts.
"""

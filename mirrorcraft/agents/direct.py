"""Direct LLM: one call, one action, no memory beyond the verified effects (paper v2, appendix E)."""

from mirrorcraft.agents.configured import ModelAgent


class DirectAgent(ModelAgent):
    """Chooses each action from the current state alone."""

    prompt = "direct"

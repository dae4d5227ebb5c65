"""Studies: a file becomes episodes, episodes become stored records, records become tables."""

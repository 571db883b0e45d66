"""The rules behind the offline `extend_schema`: read the prompt, choose concepts, spell them in its style."""

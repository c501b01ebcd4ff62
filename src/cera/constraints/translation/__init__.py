"""From clauses to rules of the hub, which derive their violations."""

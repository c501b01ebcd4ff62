"""The three sensor rules in cera and in other systems, in one table.

Each system is installed into an environment of its own, and every cell is a process of its own.
"""

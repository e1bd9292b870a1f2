"""Counts over many entries, and how they are shown (chapter 19, and beyond it completeness).

Each report is an accumulator: `add` an entry, and another, then ask for the rows. It keeps counts only, so a
million entries need no more memory than a thousand.
"""

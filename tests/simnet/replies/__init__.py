"""Replies in the shapes of the real services, one module for each service."""

"""Clusters: jobs of matches and of training on several machines, by Ray (extra ``cluster``)."""

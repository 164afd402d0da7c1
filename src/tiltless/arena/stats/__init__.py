"""Statistics of matches: intervals, scores, what players call stats."""

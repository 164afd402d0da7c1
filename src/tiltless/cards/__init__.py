"""Cards, hands, ranges, canonical forms and equity."""

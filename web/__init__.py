"""What every server of ours shares: guards, sign-in, headers, limits, error pages, serving."""

"""What travels with a release beside its tree: datasheet, credits, tables, and how to cite it.

All of it is made once, from the plan and from the facts that are recorded with it, and kept in the
image store like files that are encoded anew, so that it is the same whenever it is written,
whatever versions of the libraries and of this program there are. Only where a photograph was
withdrawn since is it made anew, without it.
"""

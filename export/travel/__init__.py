"""What travels with a release beside its tree: datasheet, credits, tables, and how to cite it.

Texts are made from the plan and from the facts that were recorded with it, so that they are the
same whenever they are written. What a library's version may change (plots, Parquet) is kept in the
image store when the release is made, like files that are encoded anew.
"""

"""Signatures of images, evidence for near-duplicates, and what people say of pairs."""

import sqlalchemy as sa
from alembic import op

from catalog.columns import UtcDateTime

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add two tables, and the evidence to the table of decisions."""
    op.create_table(
        "signature",
        sa.Column("image_id", sa.Integer(), nullable=False),
        sa.Column("recipe", sa.String(length=60), nullable=False),
        sa.Column("luma", sa.LargeBinary(), nullable=False),
        sa.Column("views", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["image_id"], ["image.id"], name=op.f("fk_signature_image_id")),
        sa.PrimaryKeyConstraint("image_id", name=op.f("pk_signature")),
    )
    op.create_table(
        "pair_label",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("first_image_id", sa.Integer(), nullable=False),
        sa.Column("second_image_id", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.String(length=20), nullable=False),
        sa.Column("relation", sa.String(length=20), nullable=True),
        sa.Column("similarity", sa.Float(), nullable=True),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("labelled_at", UtcDateTime(), nullable=False),
        sa.Column("undone_at", UtcDateTime(), nullable=True),
        sa.CheckConstraint("first_image_id < second_image_id", name=op.f("ck_pair_label_order")),
        sa.ForeignKeyConstraint(
            ["first_image_id"], ["image.id"], name=op.f("fk_pair_label_first_image_id")
        ),
        sa.ForeignKeyConstraint(
            ["second_image_id"], ["image.id"], name=op.f("fk_pair_label_second_image_id")
        ),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_pair_label_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pair_label")),
    )
    op.create_index(
        op.f("ix_pair_label_first_image_id_second_image_id"),
        "pair_label",
        ["first_image_id", "second_image_id"],
    )
    op.create_index(op.f("ix_pair_label_second_image_id"), "pair_label", ["second_image_id"])
    op.add_column("duplicate", sa.Column("similarity", sa.Float(), nullable=True))
    op.add_column("duplicate", sa.Column("doubt", sa.Float(), nullable=True))
    op.add_column("duplicate", sa.Column("evidence", sa.JSON(), nullable=True))
    op.create_index(op.f("ix_duplicate_relation_doubt"), "duplicate", ["relation", "doubt"])


def downgrade() -> None:
    """Drop them again."""
    op.drop_index(op.f("ix_duplicate_relation_doubt"), "duplicate")
    op.drop_column("duplicate", "evidence")
    op.drop_column("duplicate", "doubt")
    op.drop_column("duplicate", "similarity")
    op.drop_table("pair_label")
    op.drop_table("signature")

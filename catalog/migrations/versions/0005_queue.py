"""What the queue needs: leases ahead, ended leases, settings that change live, preferences."""

import sqlalchemy as sa
from alembic import op

from catalog.columns import UtcDateTime

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add two tables and three columns; leases that are held count as opened."""
    op.create_table(
        "ended_lease",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("image_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column(
            "kind",
            sa.Enum(
                "annotate",
                "check",
                name="leasekind",
                native_enum=False,
                create_constraint=True,
                length=20,
            ),
            nullable=False,
        ),
        sa.Column("acquired_at", UtcDateTime(), nullable=False),
        sa.Column("opened_at", UtcDateTime(), nullable=True),
        sa.Column("ended_at", UtcDateTime(), nullable=False),
        sa.Column("how", sa.String(length=20), nullable=False),
        sa.ForeignKeyConstraint(["image_id"], ["image.id"], name=op.f("fk_ended_lease_image_id")),
        sa.ForeignKeyConstraint(
            ["person_id"], ["person.id"], name=op.f("fk_ended_lease_person_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ended_lease")),
    )
    op.create_index(
        op.f("ix_ended_lease_image_id_person_id"), "ended_lease", ["image_id", "person_id"]
    )
    op.create_table(
        "live_setting",
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("value", sa.JSON(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("set_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["person_id"], ["person.id"], name=op.f("fk_live_setting_person_id")
        ),
        sa.PrimaryKeyConstraint("name", "number", name=op.f("pk_live_setting")),
    )
    op.add_column("lease", sa.Column("opened_at", UtcDateTime(), nullable=True))
    op.execute("UPDATE lease SET opened_at = acquired_at")
    op.add_column(
        "annotation",
        sa.Column("unsure_classes", sa.JSON(), nullable=False, server_default="[]"),
    )
    op.add_column("person", sa.Column("preferences", sa.JSON(), nullable=True))


def downgrade() -> None:
    """Drop them again."""
    op.drop_column("person", "preferences")
    op.drop_column("annotation", "unsure_classes")
    op.drop_column("lease", "opened_at")
    op.drop_table("live_setting")
    op.drop_index(op.f("ix_ended_lease_image_id_person_id"), "ended_lease")
    op.drop_table("ended_lease")

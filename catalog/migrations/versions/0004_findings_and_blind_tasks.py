"""Findings with verdicts, blind tasks, gold images, invitations, remarks, difficulty."""

import sqlalchemy as sa
from alembic import op

from catalog.columns import UtcDateTime

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add six tables, three indexes and two columns."""
    op.create_table(
        "difficulty",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("image_id", sa.Integer(), nullable=False),
        sa.Column("object_key", sa.String(length=64), nullable=False),
        sa.Column("is_difficult", sa.Boolean(), nullable=False),
        sa.Column("looks_sha256", sa.String(length=64), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("judged_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["image_id"], ["image.id"], name=op.f("fk_difficulty_image_id")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_difficulty_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_difficulty")),
    )
    op.create_index(
        op.f("ix_difficulty_image_id_object_key"), "difficulty", ["image_id", "object_key"]
    )
    op.create_table(
        "invitation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("code", sa.String(length=40), nullable=False),
        sa.Column(
            "role",
            sa.Enum(
                "organiser",
                "annotator",
                "checker",
                name="role",
                native_enum=False,
                create_constraint=True,
                length=20,
            ),
            nullable=False,
        ),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("people", sa.Integer(), nullable=False),
        sa.Column("most_people", sa.Integer(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("expires_at", UtcDateTime(), nullable=True),
        sa.Column("ended_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_invitation_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitation")),
        sa.UniqueConstraint("code", name=op.f("uq_invitation_code")),
    )
    op.create_table(
        "blind_task",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("image_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column(
            "kind",
            sa.Enum(
                "double",
                "gold",
                "training",
                name="blindkind",
                native_enum=False,
                create_constraint=True,
                length=20,
            ),
            nullable=False,
        ),
        sa.Column("reference_id", sa.Integer(), nullable=True),
        sa.Column("annotation_id", sa.Integer(), nullable=True),
        sa.Column("taken_at", UtcDateTime(), nullable=False),
        sa.Column("expires_at", UtcDateTime(), nullable=False),
        sa.Column("finished_at", UtcDateTime(), nullable=True),
        sa.Column("score", sa.JSON(), nullable=True),
        sa.Column("is_passed", sa.Boolean(), nullable=True),
        sa.ForeignKeyConstraint(
            ["annotation_id"], ["annotation.id"], name=op.f("fk_blind_task_annotation_id")
        ),
        sa.ForeignKeyConstraint(["image_id"], ["image.id"], name=op.f("fk_blind_task_image_id")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_blind_task_person_id")),
        sa.ForeignKeyConstraint(
            ["reference_id"], ["annotation.id"], name=op.f("fk_blind_task_reference_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_blind_task")),
        sa.UniqueConstraint("image_id", "person_id", name=op.f("uq_blind_task_image_id_person_id")),
    )
    op.create_index(
        op.f("ix_blind_task_person_id_finished_at"), "blind_task", ["person_id", "finished_at"]
    )
    op.create_table(
        "finding",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("finding_key", sa.String(length=64), nullable=False),
        sa.Column("check_name", sa.String(length=60), nullable=False),
        sa.Column("severity", sa.String(length=20), nullable=False),
        sa.Column("image_id", sa.Integer(), nullable=True),
        sa.Column("annotation_id", sa.Integer(), nullable=True),
        sa.Column("object_key", sa.String(length=64), nullable=True),
        sa.Column("object_number", sa.Integer(), nullable=True),
        sa.Column("about_person_id", sa.Integer(), nullable=True),
        sa.Column("subject_sha256", sa.String(length=64), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("badness", sa.Float(), nullable=False),
        sa.Column("found_at", UtcDateTime(), nullable=False),
        sa.Column(
            "verdict",
            sa.Enum(
                "right",
                "wrong",
                "mended",
                name="findingverdict",
                native_enum=False,
                create_constraint=True,
                length=20,
            ),
            nullable=True,
        ),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("judged_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["about_person_id"], ["person.id"], name=op.f("fk_finding_about_person_id")
        ),
        sa.ForeignKeyConstraint(
            ["annotation_id"], ["annotation.id"], name=op.f("fk_finding_annotation_id")
        ),
        sa.ForeignKeyConstraint(["image_id"], ["image.id"], name=op.f("fk_finding_image_id")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_finding_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_finding")),
        sa.UniqueConstraint("finding_key", name=op.f("uq_finding_finding_key")),
    )
    op.create_index(op.f("ix_finding_image_id"), "finding", ["image_id"])
    op.create_index(
        op.f("ix_finding_verdict_severity_check_name"),
        "finding",
        ["verdict", "severity", "check_name"],
    )
    op.create_table(
        "gold_image",
        sa.Column("image_id", sa.Integer(), nullable=False),
        sa.Column("annotation_id", sa.Integer(), nullable=False),
        sa.Column("is_training", sa.Boolean(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("chosen_at", UtcDateTime(), nullable=False),
        sa.Column("ended_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["annotation_id"], ["annotation.id"], name=op.f("fk_gold_image_annotation_id")
        ),
        sa.ForeignKeyConstraint(["image_id"], ["image.id"], name=op.f("fk_gold_image_image_id")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_gold_image_person_id")),
        sa.PrimaryKeyConstraint("image_id", name=op.f("pk_gold_image")),
    )
    op.create_table(
        "remark",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("image_id", sa.Integer(), nullable=False),
        sa.Column("annotation_id", sa.Integer(), nullable=True),
        sa.Column("object_key", sa.String(length=64), nullable=True),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("to_person_id", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("written_at", UtcDateTime(), nullable=False),
        sa.Column("seen_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["annotation_id"], ["annotation.id"], name=op.f("fk_remark_annotation_id")
        ),
        sa.ForeignKeyConstraint(["image_id"], ["image.id"], name=op.f("fk_remark_image_id")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_remark_person_id")),
        sa.ForeignKeyConstraint(
            ["to_person_id"], ["person.id"], name=op.f("fk_remark_to_person_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_remark")),
    )
    op.create_index(op.f("ix_remark_image_id"), "remark", ["image_id"])
    op.create_index(op.f("ix_remark_to_person_id_seen_at"), "remark", ["to_person_id", "seen_at"])
    op.create_index(op.f("ix_annotation_saved_at"), "annotation", ["saved_at"])
    op.create_index(
        op.f("ix_object_annotation_id_class_name_drawn_secs"),
        "object",
        ["annotation_id", "class_name", "drawn_secs"],
    )
    op.add_column("person", sa.Column("trained_at", UtcDateTime(), nullable=True))
    op.add_column("person", sa.Column("invitation_id", sa.Integer(), nullable=True))
    op.create_index(op.f("ix_review_reviewed_at"), "review", ["reviewed_at"])


def downgrade() -> None:
    """Drop them again."""
    op.drop_index(op.f("ix_review_reviewed_at"), table_name="review")
    op.drop_column("person", "invitation_id")
    op.drop_column("person", "trained_at")
    op.drop_index(op.f("ix_object_annotation_id_class_name_drawn_secs"), table_name="object")
    op.drop_index(op.f("ix_annotation_saved_at"), table_name="annotation")
    op.drop_index(op.f("ix_remark_to_person_id_seen_at"), table_name="remark")
    op.drop_index(op.f("ix_remark_image_id"), table_name="remark")
    op.drop_table("remark")
    op.drop_table("gold_image")
    op.drop_index(op.f("ix_finding_verdict_severity_check_name"), table_name="finding")
    op.drop_index(op.f("ix_finding_image_id"), table_name="finding")
    op.drop_table("finding")
    op.drop_index(op.f("ix_blind_task_person_id_finished_at"), table_name="blind_task")
    op.drop_table("blind_task")
    op.drop_table("invitation")
    op.drop_index(op.f("ix_difficulty_image_id_object_key"), table_name="difficulty")
    op.drop_table("difficulty")

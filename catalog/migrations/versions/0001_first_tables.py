"""The first tables of the catalogue."""

import sqlalchemy as sa
from alembic import op

from catalog.columns import UtcDateTime

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

TABLES = (
    "part",
    "review",
    "release_image",
    "object",
    "photo",
    "lease",
    "duplicate",
    "annotation",
    "release",
    "query",
    "person",
    "image",
)


def upgrade() -> None:
    """Create every table; image and annotation point at each other, so one link comes last."""
    op.create_table(
        "image",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("original_sha256", sa.String(length=64), nullable=True),
        sa.Column("width", sa.Integer(), nullable=False),
        sa.Column("height", sa.Integer(), nullable=False),
        sa.Column("bytes", sa.Integer(), nullable=False),
        sa.Column("stored_at", UtcDateTime(), nullable=False),
        sa.Column("phash_64", sa.String(length=16), nullable=True),
        sa.Column("phash_256", sa.String(length=64), nullable=True),
        sa.Column("quality", sa.Float(), nullable=True),
        sa.Column("hash_recipe", sa.String(length=60), nullable=True),
        sa.Column(
            "state",
            sa.Enum(
                "fetched",
                "hashed",
                "broken",
                "duplicate",
                "pool",
                "annotating",
                "annotated",
                "discarded",
                "checking",
                "returned",
                "checked",
                "released",
                "taken_down",
                name="imagestate",
                native_enum=False,
                create_constraint=True,
                length=20,
            ),
            nullable=False,
        ),
        sa.Column("state_at", UtcDateTime(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("annotation_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["annotation_id"],
            ["annotation.id"],
            name=op.f("fk_image_annotation_id"),
            use_alter=True,
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_image")),
        sa.UniqueConstraint("sha256", name=op.f("uq_image_sha256")),
    )
    op.create_index(op.f("ix_image_annotation_id"), "image", ["annotation_id"], unique=False)
    op.create_index(op.f("ix_image_original_sha256"), "image", ["original_sha256"], unique=False)
    op.create_index(op.f("ix_image_state_sha256"), "image", ["state", "sha256"], unique=False)
    op.create_table(
        "person",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
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
        sa.Column("credential_sha256", sa.String(length=64), nullable=False),
        sa.Column("is_simulated", sa.Boolean(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("seen_at", UtcDateTime(), nullable=True),
        sa.Column("ended_at", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_person")),
        sa.UniqueConstraint("credential_sha256", name=op.f("uq_person_credential_sha256")),
        sa.UniqueConstraint("name", name=op.f("uq_person_name")),
    )
    op.create_table(
        "query",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column(
            "source",
            sa.Enum(
                "flickr",
                "folder",
                "urls",
                "voc",
                name="source",
                native_enum=False,
                create_constraint=True,
                length=20,
            ),
            nullable=False,
        ),
        sa.Column("class_name", sa.String(length=100), nullable=False),
        sa.Column("keyword", sa.String(length=200), nullable=False),
        sa.Column("searches", sa.Integer(), nullable=False),
        sa.Column("matches", sa.BigInteger(), nullable=False),
        sa.Column("draws", sa.Integer(), nullable=False),
        sa.Column("kept", sa.Integer(), nullable=False),
        sa.Column("useful", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_query")),
        sa.UniqueConstraint(
            "source", "class_name", "keyword", name=op.f("uq_query_source_class_name_keyword")
        ),
    )
    op.create_table(
        "release",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("year", sa.Integer(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_release")),
        sa.UniqueConstraint("name", name=op.f("uq_release_name")),
    )
    op.create_table(
        "annotation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("image_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("parent_id", sa.Integer(), nullable=True),
        sa.Column("save_key", sa.String(length=64), nullable=False),
        sa.Column("is_stale", sa.Boolean(), nullable=False),
        sa.Column("is_finished", sa.Boolean(), nullable=False),
        sa.Column("discard_reason", sa.String(length=100), nullable=True),
        sa.Column("comment", sa.Text(), nullable=True),
        sa.Column("active_secs", sa.Float(), nullable=False),
        sa.Column("saved_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["image_id"], ["image.id"], name=op.f("fk_annotation_image_id")),
        sa.ForeignKeyConstraint(
            ["parent_id"], ["annotation.id"], name=op.f("fk_annotation_parent_id")
        ),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_annotation_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_annotation")),
        sa.UniqueConstraint("save_key", name=op.f("uq_annotation_save_key")),
    )
    op.create_index(op.f("ix_annotation_image_id"), "annotation", ["image_id"], unique=False)
    op.create_index(op.f("ix_annotation_person_id"), "annotation", ["person_id"], unique=False)
    op.create_table(
        "duplicate",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("image_id", sa.Integer(), nullable=False),
        sa.Column("kept_image_id", sa.Integer(), nullable=False),
        sa.Column("relation", sa.String(length=20), nullable=False),
        sa.Column("distance_64_bits", sa.Integer(), nullable=True),
        sa.Column("distance_256_bits", sa.Integer(), nullable=True),
        sa.Column("decided_how", sa.String(length=60), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("decided_at", UtcDateTime(), nullable=False),
        sa.Column("undone_at", UtcDateTime(), nullable=True),
        sa.CheckConstraint("image_id <> kept_image_id", name=op.f("ck_duplicate_two_images")),
        sa.ForeignKeyConstraint(["image_id"], ["image.id"], name=op.f("fk_duplicate_image_id")),
        sa.ForeignKeyConstraint(
            ["kept_image_id"], ["image.id"], name=op.f("fk_duplicate_kept_image_id")
        ),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_duplicate_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_duplicate")),
        sa.UniqueConstraint(
            "image_id", "kept_image_id", name=op.f("uq_duplicate_image_id_kept_image_id")
        ),
    )
    op.create_index(
        op.f("ix_duplicate_kept_image_id"), "duplicate", ["kept_image_id"], unique=False
    )
    op.create_table(
        "lease",
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
        sa.Column(
            "returns_to",
            sa.Enum(
                "fetched",
                "hashed",
                "broken",
                "duplicate",
                "pool",
                "annotating",
                "annotated",
                "discarded",
                "checking",
                "returned",
                "checked",
                "released",
                "taken_down",
                name="imagestate",
                native_enum=False,
                create_constraint=True,
                length=20,
            ),
            nullable=False,
        ),
        sa.Column("acquired_at", UtcDateTime(), nullable=False),
        sa.Column("heartbeat_at", UtcDateTime(), nullable=False),
        sa.Column("expires_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["image_id"], ["image.id"], name=op.f("fk_lease_image_id")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_lease_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_lease")),
        sa.UniqueConstraint("image_id", name=op.f("uq_lease_image_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_lease_expires_at"), "lease", ["expires_at"], unique=False)
    op.create_index(op.f("ix_lease_person_id"), "lease", ["person_id"], unique=False)
    op.create_table(
        "photo",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column(
            "source",
            sa.Enum(
                "flickr",
                "folder",
                "urls",
                "voc",
                name="source",
                native_enum=False,
                create_constraint=True,
                length=20,
            ),
            nullable=False,
        ),
        sa.Column("source_id", sa.String(length=200), nullable=False),
        sa.Column(
            "state",
            sa.Enum(
                "found",
                "fetched",
                "gone",
                "broken",
                "withdrawn",
                name="photostate",
                native_enum=False,
                create_constraint=True,
                length=20,
            ),
            nullable=False,
        ),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("owner_id", sa.String(length=200), nullable=True),
        sa.Column("owner_name", sa.Text(), nullable=True),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("tags", sa.Text(), nullable=True),
        sa.Column("licence_id", sa.String(length=100), nullable=True),
        sa.Column("licence_name", sa.Text(), nullable=True),
        sa.Column("licence_url", sa.Text(), nullable=True),
        sa.Column("taken_at_text", sa.String(length=40), nullable=True),
        sa.Column("taken_at_unknown", sa.Boolean(), nullable=False),
        sa.Column("uploaded_at", UtcDateTime(), nullable=True),
        sa.Column("page_url", sa.Text(), nullable=True),
        sa.Column("image_url", sa.Text(), nullable=True),
        sa.Column("promised_width", sa.Integer(), nullable=True),
        sa.Column("promised_height", sa.Integer(), nullable=True),
        sa.Column("query_id", sa.Integer(), nullable=True),
        sa.Column("window_start_at", UtcDateTime(), nullable=True),
        sa.Column("window_end_at", UtcDateTime(), nullable=True),
        sa.Column("result_page", sa.Integer(), nullable=True),
        sa.Column("found_at", UtcDateTime(), nullable=False),
        sa.Column("claimed_by", sa.String(length=100), nullable=True),
        sa.Column("claimed_until_at", UtcDateTime(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("fetched_at", UtcDateTime(), nullable=True),
        sa.Column("image_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["image_id"], ["image.id"], name=op.f("fk_photo_image_id")),
        sa.ForeignKeyConstraint(["query_id"], ["query.id"], name=op.f("fk_photo_query_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_photo")),
        sa.UniqueConstraint("source", "source_id", name=op.f("uq_photo_source_source_id")),
    )
    op.create_index(op.f("ix_photo_image_id"), "photo", ["image_id"], unique=False)
    op.create_index(op.f("ix_photo_owner_id"), "photo", ["owner_id"], unique=False)
    op.create_index(op.f("ix_photo_query_id"), "photo", ["query_id"], unique=False)
    op.create_index(op.f("ix_photo_state_id"), "photo", ["state", "id"], unique=False)
    op.create_table(
        "object",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("annotation_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("object_key", sa.String(length=64), nullable=False),
        sa.Column("class_name", sa.String(length=100), nullable=False),
        sa.Column("box_xmin", sa.Integer(), nullable=False),
        sa.Column("box_ymin", sa.Integer(), nullable=False),
        sa.Column("box_xmax", sa.Integer(), nullable=False),
        sa.Column("box_ymax", sa.Integer(), nullable=False),
        sa.Column(
            "view",
            sa.Enum(
                "Unspecified",
                "Frontal",
                "Rear",
                "Left",
                "Right",
                name="view",
                native_enum=False,
                create_constraint=True,
                length=20,
            ),
            nullable=False,
        ),
        sa.Column("truncated", sa.Boolean(), nullable=False),
        sa.Column("occluded", sa.Boolean(), nullable=False),
        sa.Column("difficult", sa.Boolean(), nullable=False),
        sa.Column("unsure", sa.Boolean(), nullable=False),
        sa.Column("actions", sa.JSON(), nullable=False),
        sa.Column("point_x", sa.Integer(), nullable=True),
        sa.Column("point_y", sa.Integer(), nullable=True),
        sa.Column("drawn_secs", sa.Float(), nullable=False),
        sa.CheckConstraint(
            "1 <= box_xmin AND box_xmin <= box_xmax", name=op.f("ck_object_x_order")
        ),
        sa.CheckConstraint(
            "1 <= box_ymin AND box_ymin <= box_ymax", name=op.f("ck_object_y_order")
        ),
        sa.ForeignKeyConstraint(
            ["annotation_id"], ["annotation.id"], name=op.f("fk_object_annotation_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_object")),
        sa.UniqueConstraint("annotation_id", "number", name=op.f("uq_object_annotation_id_number")),
    )
    op.create_index(op.f("ix_object_class_name"), "object", ["class_name"], unique=False)
    op.create_table(
        "release_image",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.Column("image_id", sa.Integer(), nullable=False),
        sa.Column("annotation_id", sa.Integer(), nullable=False),
        sa.Column(
            "split",
            sa.Enum(
                "train",
                "val",
                "test",
                name="split",
                native_enum=False,
                create_constraint=True,
                length=20,
            ),
            nullable=False,
        ),
        sa.Column("public_id", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["annotation_id"], ["annotation.id"], name=op.f("fk_release_image_annotation_id")
        ),
        sa.ForeignKeyConstraint(["image_id"], ["image.id"], name=op.f("fk_release_image_image_id")),
        sa.ForeignKeyConstraint(
            ["release_id"], ["release.id"], name=op.f("fk_release_image_release_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_release_image")),
        sa.UniqueConstraint(
            "release_id", "image_id", name=op.f("uq_release_image_release_id_image_id")
        ),
        sa.UniqueConstraint(
            "release_id", "public_id", name=op.f("uq_release_image_release_id_public_id")
        ),
    )
    op.create_index(op.f("ix_release_image_image_id"), "release_image", ["image_id"], unique=False)
    op.create_table(
        "review",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("annotation_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("save_key", sa.String(length=64), nullable=False),
        sa.Column(
            "verdict",
            sa.Enum(
                "accept",
                "mended",
                "returned",
                name="verdict",
                native_enum=False,
                create_constraint=True,
                length=20,
            ),
            nullable=False,
        ),
        sa.Column("is_complete", sa.Boolean(), nullable=True),
        sa.Column("comment", sa.Text(), nullable=True),
        sa.Column("object_verdicts", sa.JSON(), nullable=False),
        sa.Column("mended_annotation_id", sa.Integer(), nullable=True),
        sa.Column("active_secs", sa.Float(), nullable=False),
        sa.Column("reviewed_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["annotation_id"], ["annotation.id"], name=op.f("fk_review_annotation_id")
        ),
        sa.ForeignKeyConstraint(
            ["mended_annotation_id"], ["annotation.id"], name=op.f("fk_review_mended_annotation_id")
        ),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_review_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_review")),
        sa.UniqueConstraint("save_key", name=op.f("uq_review_save_key")),
    )
    op.create_index(op.f("ix_review_annotation_id"), "review", ["annotation_id"], unique=False)
    op.create_index(op.f("ix_review_person_id"), "review", ["person_id"], unique=False)
    op.create_table(
        "part",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("object_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("box_xmin", sa.Integer(), nullable=False),
        sa.Column("box_ymin", sa.Integer(), nullable=False),
        sa.Column("box_xmax", sa.Integer(), nullable=False),
        sa.Column("box_ymax", sa.Integer(), nullable=False),
        sa.CheckConstraint("1 <= box_xmin AND box_xmin <= box_xmax", name=op.f("ck_part_x_order")),
        sa.CheckConstraint("1 <= box_ymin AND box_ymin <= box_ymax", name=op.f("ck_part_y_order")),
        sa.ForeignKeyConstraint(["object_id"], ["object.id"], name=op.f("fk_part_object_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_part")),
        sa.UniqueConstraint("object_id", "number", name=op.f("uq_part_object_id_number")),
    )
    if op.get_bind().dialect.name != "sqlite":  # SQLite has it from the start
        op.create_foreign_key(
            "fk_image_annotation_id", "image", "annotation", ["annotation_id"], ["id"]
        )


def downgrade() -> None:
    """Drop every table."""
    if op.get_bind().dialect.name != "sqlite":
        op.drop_constraint("fk_image_annotation_id", "image", type_="foreignkey")
    for table in TABLES:
        op.drop_table(table)

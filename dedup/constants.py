"""Every number that decides on near-duplicates: its value, what it decides, where it is from.

A constant has one role. Two roles that need the same value today are two constants, so that one can
change without the other. Sizes of batches and formats of files are no decisions and stay where they
are used. Lengths in px are of the squeezed picture of 256 by 256 unless a name says otherwise.
"""

from __future__ import annotations

# ---- Pictures and signatures. A change of these needs a new RECIPE in signature/signature.py. ----

FEATURES_SIDE_PX = 320
"""The longest side of the picture in which features are sought: SIFT at 320 px finds what Flickr's
500 px show, at a third of the time."""

LEVELS_SIDE_PX = 128
"""The side of the squeezed picture that is hashed."""

SHOWN_SIDE_PX = 2 * LEVELS_SIDE_PX
"""The side of the squeezed picture whose details are compared. Letters of 14 px on a page of 640
are still told apart; at 128 px they are not."""

FEW_SHADES_LEVELS = 25
"""A picture that spans fewer levels is kept without loss, since JPEG would take its details: five
times the noise."""

SHOWN_JPEG_QUALITY = 90
"""The quality in which the larger squeezed picture is kept; it is then about as large as the small
one without loss."""

GRADIENTS_PER_POINT = 90
"""PDQ's quality (ThreatExchange, pdqImageDomainQualityMetric): percent of gradient for a point."""

MOST_FEATURES = 300
"""Features that are kept of a picture (a trial on 74 changes of photographs)."""

CELLS_A_SIDE = 4
"""Cells that share a picture's features. Of 57 memes with three lines of letters a ninth as high as
the picture 2 agreed in too few places with their originals; where no cell has more than twice its
share at first, none does."""

CONTRAST_THRESHOLD = 0.02
"""SIFT's least contrast: half of OpenCV's, so that soft pictures have features too."""

WORD_BITS = 16
"""Bits of a visual word: two of 256 directions."""

BAR_SHADE_LEVELS = 5
"""What differs from a bar's shade by no more has this shade. JPEG of quality 50 leaves as many
levels in a plain border."""

BAR_END_SHARE = 0.9
"""A bar ends with a row of which so much has its shade; words may be in the rows before."""

LEAST_TRIMMED_SIDE = 0.45
"""Of each side that a border must leave for its trimmed picture to be hashed too: a border of a
quarter of the longer side leaves half."""

ORIGIN_SIDE_PX = 1024
"""Pixels of the file: the middle whose real resolution is measured has half of each side, but no
more than this. Edges of borders are sharp."""

KEPT_GRADIENT = 0.9
"""The share of the gradient that the smallest sufficient size of a picture keeps; the energy is the
gradient's square. Decides how many pixels are real."""

SMALLEST_SHARE = 1 / 8
"""Of a side: no enlargement beyond eight times is measured."""

SIZES_TRIED = 13
"""Sizes from the whole to SMALLEST_SHARE; the loss is interpolated between these."""

PLAIN_BLOCK_PX = 16
PLAIN_PERCENTILE = 10
"""The noise of a picture is that of its plainest blocks of this side: a tenth is plainer still."""

QUIET_LEVELS = 1.0
"""Less than this is what JPEG and rounding leave in plain places, and no noise: 18 of the 21
photographs of the tests have less, and the median of 2.6 once noise of 6 levels is added."""

NOISE_TIMES = 1.8
"""What of the gradient's energy counts as noise, in times of that of the plainest blocks. Noise of
6 levels adds no real pixels to six photographs then; without noise these keep theirs."""

MOST_NOISE_SHARE = 0.2
"""Of the gradient's energy that counts as noise. If all did, a noisy photograph would have fewer
real pixels than its copies, which lose noise as they are made smaller or recompressed. With noise
of 4 to 20 levels, 18 photographs now have MORE_REAL_PX times those of their copies at 0.7 of the
sides; a page of text has 1.46 times."""

# ---- Which images meet ----

NEAREST_BY_HASHES = 4
"""Partners of each image by its hashes: a trial found 99 % of 74 changes by the best four."""

NEAREST_BY_WORDS = 2
"""Partners of each image by visual words, in each of the rounds."""

WORD_ROUNDS = 2
"""Searches by words. The second passes over the words that strangers share, such as one caption,
which must not hide the rest."""

LEAST_PART_IMAGES = 5
"""The smallest part of the images whose words are searched at once, however little memory there is:
one more than the nearest few."""

STOP_SHARE = 0.1
"""Words that a larger share of the images holds say nothing, as Sivic and Zisserman's stop list.
Comparing the rest takes a sixteenth of the time and misses 3 of 2,490 copies among 5,400 images."""

LEAST_STOPPED = 1000
"""No word that fewer images hold is stopped, so that small parties stop none."""

MOST_HOLDERS_READ = 1_000_000
"""Holders of an image's words that are read, of its rarest words first; else the time would grow
with the square of the images. With 200 features an image, half of this finds as many of 360 hard
copies among 100,000 images (357) as all holders do."""

SETTLED_SHARE = 0.9
"""An image of which a copy covers this share is settled: the copy meets for it what only words
find. Of 3,400 copies the one shows 0.91 or more of the other's features."""

COPIES_SEARCHED_EACH = 16
"""Copies of one image that each search for partners; of more than these only the leader does."""

COPIES_THAT_ALL_MEET = 16
"""Copies of which each is compared with all others, so that none hides the flaws of another: of 24
photographs with nine copies 20 are kept so, 8 where the best was sought in rounds."""

BEST_ROUNDS = 3
"""Rounds in which the best of a cluster meets all others. Of few copies it is found in one or two;
of very many each round finds a better one."""

# ---- The map between two pictures ----

CLEAR_RATIO = 0.8
"""Lowe 2004: the nearest descriptor must be so much nearer than the second, in their distance."""

LEAST_AGREEING = 8
"""Features that must agree on a map; fewer fit unrelated pictures by chance (a trial on 74 changes
and unrelated photographs)."""

CERTAIN_AGREEING = 4 * LEAST_AGREEING
"""Features that agree on a map beyond doubt: the mirrored picture is not matched any more."""

LEAST_LIKELY = 0.1
"""The correlation of small pictures that a map by hashes must give. Of 1,067 guesses of copies all
have 0.19 or more; 80 pairs of other photographs, whose hashes are within 16 bits, have 0.09 at
most."""

LIKELY_BLUR_PX = 4.0
"""Of 128: what is coarser than this is light and is left out of that correlation."""

# ---- Details: where two pictures differ ----

NOISE_LEVELS = 5
"""Levels by which one shade varies. JPEG of quality 50 leaves as many in a plain border, quality 20
and noise of 12 levels leave 2 of the details that are compared."""

SAME_SHADE_LEVELS = 2 * NOISE_LEVELS
"""Two levels that differ by no more are one shade, as each of them has noise."""

FINE_PX = 1.5
COARSE_PX = 8.0
"""Details are coarser than FINE_PX and finer than COARSE_PX. With 1 and 8 two of 66 forms are
merged, with 2 and 8 three of 615 copies fewer."""

WINDOW_PX = int(2 * COARSE_PX) - 1
"""The side of a place whose details are correlated."""

NARROW_PX = WINDOW_PX // 2
"""What is narrower is no place that differs: edges that are laid a little off."""

SOFTEST_PX = 8.0
"""The sharper picture is softened by at most this sigma."""

SOFTENING_STEPS = 15
"""Steps up to SOFTEST_PX, of which the first is none."""

LEAST_COMMON_DETAIL = 5
"""Levels squared: places whose details have a larger product tell the gain between two pictures."""

PLACE_AGREES = 0.5
"""The correlation of the details of a place that does not differ; with 0.45 three of 3,400 copies
are found less."""

LEAST_CORNER = 5
"""Harris's measure of edges in more than one direction, from which a place has details."""

LEAST_DETAILS = 8
"""Places with edges in more than one direction that two pictures must show: horizons and discs have
3 at most, soft clouds 31, copies 11."""

LEAST_SPOT = 0.002
"""Of the overlap: smaller places that differ are left out. A subject of a twentieth of the height;
0.0034 merges 2 of 66 forms."""

PLAIN_SHARE = 0.7
"""What has so much of one shade is plain: pages have 0.77 and more, watermarked places up to
0.68."""

SHARE_AROUND = 0.4
"""A sticker is plain within its edge, and around it less than so much of its share has the shade.
Of 640 stickers 0.35 loses ten more, and with 0.45 five of 66 phases of one moon pass for
stickers."""

REWORDED_SHARE = 0.9
"""A plain place has other words where less than this share of what differs has the ground's
shade."""

PEN_PX = 4
"""A pen is so wide, and a pixel more for each height that a place is long. Of 80 photographs 297 of
320 with captions and subtitles are copies, and 13 of 1,200 with another subject of an eighth to two
fifths of the height; WIDE_SHARE and LINE_TIMES were measured with it."""

WIDE_SHARE = 0.25
"""The share of all strokes that may be wider than the pen, where strokes meet."""

LINE_TIMES = 5
"""A place that is so many times as long as high is a line, which may have any strokes."""

HIGHEST_WRITING = 0.5
"""Of the height: a higher place is another page and no writing."""

# ---- Frames: margins and seams ----

LEAST_FRAMED_SIDE = 0.45
"""Of each side: a margin that leaves less is none. One of nine photographs on a sheet has a
third."""

MOST_LINE = 0.2
"""Of the height: words in a bar are no higher, and pictures of a sheet seldom so low."""

MARGIN_SLACK_PX = 7
"""A margin is widened by half of this on each side, as its edge is soft."""

SEAM_CELL_PX = 4
"""The side of the cells of the inner picture that are compared with those outside of it."""

SEAM_TIMES = 2
"""A jump along a frame that is so many times that within is a seam. 3 of 1,078 crops have more, all
but 1 of 111 sheets and copies before their own blurred enlargement."""

# ---- What the evidence makes of a pair ----

SAME_SIMILARITY = 0.9
"""The correlation of details from which two pictures are one photograph. Of 3,400 copies and their
originals it is 0.93 or more; pages of one layout that no feature joins reach 0.93."""

COPY_COVERED = 0.9
"""The share of a copy's features that lies within the other. Of 3,400 copies and their originals
the one shows 0.91 or more of the other's."""

WHOLE_COVERED = 0.9
"""Where the larger picture too has this share of its features within the smaller, it is the same
picture with a frame, not a collage."""

COLLAGE_OUTSIDE = 0.02
"""Of a picture's area: what a collage shows beyond the photograph in it."""

DRAWN_DOUBT = 0.9
"""The least doubt of a copy that was drawn over: people are asked first about these. Frames of a
still camera with another small subject (a pick-up, then a van) were merged as certain."""

LEAST_CROP_SIDE = 0.45
"""Of each side: a crop to less is not put aside. A crop to half the sides is a copy."""

EVENT_SIMILARITY = 0.5
"""The correlation of details on the whole from which two pictures with one map are of one event."""

# ---- Another's hashes alone ----

CLEAR_CODE_RATIO = 0.8
"""Lowe's ratio for coded features: in bits of Hamming distance."""

MOST_DETAIL_BITS = 26
"""Of 256, once ours is laid under theirs. All copies of 12 photographs by the thirty-five changes
are found; with 32, 4 of 66 pairs of letters of one layout are, too."""

SIDE_SAMPLES = 64
"""Samples of a side of a part that is hashed; our picture is moved by one at a time."""

MOST_CODED = 66
"""Coded features of an image. With 20 bytes each, all of an image takes about 2.5 kB of text."""

# ---- Events of one owner ----

EVENT_SCENE_SIMILARITY = 0.55
"""The likeness of scenes that were taken near one another. Of 900 pairs of unrelated photographs
3.9 % are as alike."""

EVENT_SCENE_SIMILARITY_BY_UPLOAD = 0.63
"""The same where only the uploads are near: many upload the photographs of years at once, so that a
moment of uploading says little. 0.7 % of the 900 pairs are as alike."""

MOST_NEIGHBOURS = 50
"""Of a shot, on each clock: a thousand photographs may be uploaded at once."""

SCENE_SIDE_PX = 16
"""The side of the pictures in which scenes are compared."""

SCENE_SHIFT_PX = SCENE_SIDE_PX // 4
"""As far as a subject or the frame moves between two shots, and as much as a zoom cuts off."""

# ---- Which image is kept ----

CROPPED_OUTSIDE = 0.02
"""Of a picture's area: what the other shows beyond a cropped one. A registration is off by less."""

MARGIN_OUTSIDE = 0.02
"""Of a picture's area: what a margin has. A perspective of 5 % leaves as much black."""

MORE_REAL_PX = 1.5
"""Times the real pixels of the smaller copy: copies of 0.7 of the sides have at least 1.5 times
fewer (scikit-image's and scikit-learn's photographs)."""

MORE_AREA_PX = 1.5
"""Times the pixels of an enlarged copy; enlarging adds at most 1.3 times the real ones."""

SOFT_TIMES = 2.25
"""An image with more pixels than so many times its real ones is soft, as out of focus: that a copy
has still more says nothing of it."""

REVIEW_REAL_PX = 1.5
"""People are asked first about pairs of which the image put aside has so many times the real pixels
of the kept one."""

CENTRAL_SHARE = 0.9
"""Of very many copies, one that was compared with this share of what any was is central, and may be
kept; others had fewer to show their flaws."""

COPIES_RANKED_ALONE = 16
"""Where no image was compared with more than these, all are central."""

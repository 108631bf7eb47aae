# Shell functions shared by the set-up scripts.

# The path of a Chromium that starts; Ubuntu's package of that name may be an empty shell.
find_chromium() {
	for name in "${VOCPARTY_CHROMIUM:-}" chromium-headless-shell chromium chromium-browser google-chrome; do
		if [ -n "$name" ] && "$name" --version >/dev/null 2>&1; then
			command -v "$name"
			return 0
		fi
	done
	return 1
}

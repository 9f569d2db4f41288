package tui

// messages are those of what all pages have; those of a page stand beside what shows them.
type messages struct {
	paletteTitle, noCommand string
	live                    string // %d runs
}

func english() messages {
	return messages{
		paletteTitle: "Find a command",
		noCommand:    "No matching command",
		live:         "%d live",
	}
}

package cell

import "slices"

// The signs of the interface. Each has one meaning, on every page and in every command, and no
// other package writes one as a literal (TestSignsStandHere). Each has a stand-in of its own where
// there is ASCII only (standIn).
const (
	// Best stands behind the best figure of several. No other figure or line has a star.
	Best = "★"

	// Significant stands behind a figure that is significantly better than every other one, as in
	// tables of papers.
	Significant = "*"

	// The states of a run, and of the runs of a sweep that were dropped by a rung or are missing.
	// They stand for nothing else.
	Queued      = "◌"
	Running     = "▶"
	Paused      = "‖"
	Done        = "✓"
	Stopped     = "▬"
	Failed      = "✗"
	Interrupted = "╍"
	Dropped     = "▾"
	Missing     = "·"

	// Changed stands before a setting that the user has changed or in which watched runs differ,
	// and at a preset with such settings; Given before a setting that the preset changes.
	Changed = "◇"
	Given   = "·"

	// Ticked is what is selected of a list: runs, methods, seeds, columns; Unticked what is not.
	Ticked   = "[x]"
	Unticked = "[ ]"

	// Warning stands before a warning, an error, and the number of a run's warnings.
	Warning = "!"

	// Cursor is where keys act. More says that something is cut off.
	Cursor = "▸"
	More   = "…"

	// Worst stands behind the class or group with the worst figure, Few behind one with too few
	// samples to say.
	Worst = "◂"
	Few   = "?"

	// Origin is where a path of (λ, η) begins, Optimum where it ought to end. NotFinite is where a
	// curve leaves the finite numbers.
	Origin    = "◦"
	Optimum   = "◎"
	NotFinite = "✕"

	// On the bar of a replay, Place is where it is, Checkpoint and Evaluation are what it passes.
	Place      = "┃"
	Checkpoint = "▪"
	Evaluation = "╵"

	// Becomes stands between the label of a sample and a prediction that is wrong.
	Becomes = "→"
)

// blocks are the blocks of one to seven eighths of a cell, for small curves.
const blocks = "▁▂▃▄▅▆▇"

// subscripts are the numbers of variants.
const subscripts = "₁₂₃₄₅₆₇₈₉₊"

// marks are shapes, the marks of the methods in their order; none of them is a sign. letters are
// the marks of further methods: none of them is the stand-in of a shape, nor R or S, which mark
// steps of a curve, nor a digit, which numbers a variant.
const (
	marks   = "●■▲◆▼◧○□△◢▽◣◉▣◈◨◐◑"
	letters = "AEIJKMNOPTVWabcdefghijklmnpqrstuwyz"
)

// Marks is the number of shapes, Letters that of letters. Series come in rows of Marks series.
// The first ShapeRows rows have shapes, a row for each variant of the methods. Those behind them
// have letters.
const (
	Marks     = 18
	Letters   = len(letters)
	ShapeRows = 10
)

// Mark returns the mark of series i. The series of the first row are those of the methods; series
// i+Marks, i+2*Marks, ... are variants of i, with its mark and a number behind it (Variant).
func Mark(i int, ascii bool) rune {
	if further := i - Marks*ShapeRows; further >= 0 {
		return rune(letters[further%Letters])
	}
	r := []rune(marks)[i%Marks]
	if ascii {
		return ASCIIRune(r)
	}
	return r
}

// Variant returns the number that stands behind the mark of series i: ₂ behind the second variant
// of a method, 0 behind the first one. Beyond ₉ it is a plus.
func Variant(i int, ascii bool) rune {
	row := i / Marks
	switch {
	case row == 0 || row >= ShapeRows:
		return 0
	case row > 8:
		return ASCIIOr('₊', ascii)
	}
	return ASCIIOr('₁'+rune(row), ascii)
}

// Spot returns the mark of series i where there is one cell. It is the number of a variant only
// where another series of those that are drawn has the same mark.
func Spot(i int, drawn []uint8, ascii bool) rune {
	twin := func(other uint8) bool {
		return int(other) != i && Mark(int(other), ascii) == Mark(i, ascii)
	}
	if r := Variant(i, ascii); r != 0 && slices.ContainsFunc(drawn, twin) {
		return r
	}
	return Mark(i, ascii)
}

// ASCIIOr returns a character or, if ascii is set, its stand-in.
func ASCIIOr(r rune, ascii bool) rune {
	if ascii {
		return ASCIIRune(r)
	}
	return r
}

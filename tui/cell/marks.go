package cell

// blocks are the blocks of one to seven eighths of a cell, for small curves.
const blocks = "▁▂▃▄▅▆▇"

// marks are shapes, the marks of the first series in their order. letters are the marks of further
// series: none of them is the stand-in of a shape, nor R or S, which mark steps of a curve.
const (
	marks   = "●■▲◆▼★○□△◇▽☆◉▣◈◎◐◑"
	letters = "AEFHIJKLMNOPTVWabcdefghijklmnpqrstuwyz0123456789"
)

// Marks is the number of shapes, Letters that of letters. Series come in rows of Marks series.
// The first ShapeRows rows have shapes, those behind them letters.
const (
	Marks     = 18
	Letters   = len(letters)
	ShapeRows = 11
)

// Mark returns the mark of series i, which tells it from others in charts and in tables where
// colour does not, or not alone. The series of the first row have their own; series i+Marks,
// i+2*Marks, ... are variants of i and have the shapes that come after its own.
func Mark(i int, ascii bool) rune {
	if further := i - Marks*ShapeRows; further >= 0 {
		return rune(letters[further%Letters])
	}
	r := []rune(marks)[(i%Marks+i/Marks)%Marks]
	if ascii {
		return ASCIIRune(r)
	}
	return r
}

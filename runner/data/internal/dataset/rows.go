package dataset

// Table is a Source of rows of float32.
type Table struct {
	Marks
	X      *RowBlocks
	Origin []uint32 // see frame; nil: the place itself
}

func (t *Table) Shape() Shape              { return Shape{t.X.Width, 1, 1} }
func (t *Table) Read(dst []float32, i int) { copy(dst, t.X.Row(i)) }

// BlockWords is the number of words of a block, unless a row is longer.
const BlockWords = 1 << 18

// RowBlocks are rows of float32.
type RowBlocks struct {
	Width, Per int
	Blocks     [][]float32 // of per rows each, or of fewer in the last
}

func (b *RowBlocks) Row(i int) []float32 {
	at := i % b.Per * b.Width
	return b.Blocks[i/b.Per][at : at+b.Width]
}

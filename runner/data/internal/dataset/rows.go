package dataset

// Table is a Source of rows of float32.
type Table struct {
	Marks
	X      *RowBlocks
	Origin []uint32 // each row's place in the files, see Row; nil: its index
}

func (t *Table) Shape() Shape              { return Shape{t.X.Width, 1, 1} }
func (t *Table) Read(dst []float32, i int) { copy(dst, t.X.Row(i)) }

// BlockWords is the number of words of a block, unless a row is longer.
const BlockWords = 1 << 18

// RowBlocks holds rows of float32 in blocks.
type RowBlocks struct {
	Width, Per int
	Blocks     [][]float32 // of Per rows each, the last maybe of fewer
}

func (b *RowBlocks) Row(i int) []float32 {
	at := i % b.Per * b.Width
	return b.Blocks[i/b.Per][at : at+b.Width]
}

package data

// Table is a Source of rows of float32.
type Table struct {
	Marks
	X      *Rows[float32]
	Origin []uint32 // each row's place in the files, see Row; nil: its index
}

func (t *Table) Shape() Shape { return Shape{t.X.Width, 1, 1} }

func (t *Table) Read(dst []float32, i int) { copy(dst, t.X.Row(i)) }

// BlockWords is the number of words of a block, unless a row is longer.
const BlockWords = 1 << 18

// Rows holds rows of words in blocks.
type Rows[T float32 | uint32] struct {
	Width, Per int
	Blocks     [][]T // of Per rows each, the last maybe of fewer
}

func (b *Rows[T]) Row(i int) []T {
	at := i % b.Per * b.Width
	return b.Blocks[i/b.Per][at : at+b.Width]
}

// DrawnMemory is the size of a split in bytes above which a sample is drawn each time it is asked
// for, not only once.
const DrawnMemory = 64 << 20

// Tabulate puts every split that is small enough into memory as a table.
func Tabulate(d *Dataset) {
	for _, split := range []*Source{&d.Train, &d.Val, &d.Test} {
		if src := *split; src != nil && src.Len() <= DrawnMemory/4/src.Shape().Len() {
			*split = Tabulated(src)
		}
	}
}

// Tabulated copies a source of features into memory, or draws it there.
func Tabulated(src Source) *Table {
	n, width := src.Len(), src.Shape().Len()
	x := &Rows[float32]{width, max(1, n), [][]float32{make([]float32, n*width)}}
	out := &Table{NewMarks(n), x, nil}
	out.Keys = KeysOf(src)
	OnEveryCore(n, func(i int) {
		src.Read(x.Row(i), i)
		out.Labels[i], out.Groups[i] = uint16(src.Label(i)), uint16(src.Group(i))
	})
	return out
}

package kit

// Rect is a part of the screen, in cells; X and Y are those of its top left
// cell.
type Rect struct{ X, Y, W, H int }

// Contains tells whether a cell is in r.
func (r Rect) Contains(x, y int) bool {
	return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H
}

// The smallest screen that is drawn; below it one line says so.
const (
	LeastWidth  = 40
	LeastHeight = 12
)

// Tile divides r into equal cells, row by row; what is left over goes to the
// first ones.
func Tile(r Rect, columns, lines int) []Rect {
	var list []Rect
	for j := range lines {
		for i := range columns {
			x0, x1 := Share(r.W, i, columns), Share(r.W, i+1, columns)
			y0, y1 := Share(r.H, j, lines), Share(r.H, j+1, lines)
			list = append(list, Rect{r.X + x0, r.Y + y0, x1 - x0, y1 - y0})
		}
	}
	return list
}

// Share is where the i-th of n parts of a length starts.
func Share(length, i, n int) int { return length/n*i + min(i, length%n) }

// Placed is a block of lines, each exactly w cells wide, and where it goes.
type Placed struct {
	Rect
	Lines []string
}

// Compose puts blocks that do not overlap together to h lines of w cells.
// Blocks that share a line must come from left to right. They come with their
// widths; Lip Gloss measures what it joins, a hundred times as long on a page of
// four panels, which is more than the rest of a frame.
func Compose(w, h int, blocks []Placed) []string {
	out := make([]string, max(0, h))
	at := make([]int, len(out))
	for _, b := range blocks {
		for i, line := range b.Lines {
			y := b.Y + i
			if i >= b.H || y < 0 || y >= len(out) {
				continue
			}
			out[y] += Blanks(b.X-at[y]) + line
			at[y] = b.X + b.W
		}
	}
	for y := range out {
		out[y] += Blanks(w - at[y])
	}
	return out
}

// Area is the rectangle of w by h cells at x and y.
func Area(x, y, w, h int) Rect { return Rect{x, y, w, h} }

package samples

import (
	"drolab/runner/certificate"
	"drolab/tui/cell"
	"drolab/tui/kit"
)

// thumbLayout says how thumbnails are laid out.
type thumbLayout struct {
	size         int // a picture's longer side in pixels; 0 if there is no room
	across, down int
	w, h         int // of a thumbnail with its caption and the space around it, in cells
}

// layThumbs lays out thumbnails in the main panel of w by h cells: at least a dozen, of the size
// that leaves the least room empty, or half a dozen where there is no room for more.
func (p *Page) layThumbs(w, h int) thumbLayout {
	if p.pick == nil || !certificate.Pictured(p.pick.Shape) {
		return thumbLayout{}
	}
	const dozen = 12
	if s := p.fillWith(dozen, w, h-headRows); s.size > 0 {
		return s
	}
	return p.fillWith(dozen/2, w, h-headRows)
}

// fillWith lays out at least so many thumbnails in w by h cells.
func (p *Page) fillWith(enough, w, h int) (best thumbLayout) {
	const least = 10
	covered := 0
	for size := min(48, max(p.pick.Shape.W, p.pick.Shape.H)); size >= least; size -= 2 {
		s := thumbLayout{size: size, w: max(size, p.captionCells(w)) + 1,
			h: (size+1)/2 + captionRows}
		s.across, s.down = (w-1)/s.w, h/s.h
		if now := s.across * s.down * size * size; s.across*s.down >= enough && now > covered {
			best, covered = s, now
		}
	}
	return best
}

// captionRows is the number of lines of a caption.
const captionRows = 2

// captionCells returns the width of captions in a panel of w cells, which class names fit in whole:
// two thumbnails stand side by side even if a name is longer.
func (p *Page) captionCells(w int) (cells int) {
	for _, name := range p.pick.Classes {
		cells = max(cells, cell.Width(wrongPrefix+p.Theme.Greek(name)))
	}
	return min(cells, w/2-2)
}

// wrongPrefix stands before a prediction that is wrong.
const wrongPrefix = " " + cell.Becomes

// top returns the first line of thumbnails in view if the cursor is on sample at.
func (s thumbLayout) top(at, of int) int {
	return kit.First(at/s.across, (of+s.across-1)/s.across, s.down)
}

// viewThumbs draws the samples as thumbnails.
func (p *Page) viewThumbs(s thumbLayout) (lines []string) {
	first := s.top(p.at, len(p.shown)) * s.across
	for row := range s.down {
		var blocks []kit.Block
		for column := range s.across {
			at := first + row*s.across + column
			if at >= len(p.shown) {
				break
			}
			blocks = append(blocks, kit.Block{Rect: kit.Area(1+column*s.w, 0, s.w-1, s.h),
				Lines: p.viewThumb(at, s)})
		}
		lines = append(lines, kit.Compose(1+s.across*s.w, s.h, blocks)...)
	}
	return lines
}

// viewThumb draws a sample small. Below are its class and, if the prediction is another one, that
// prediction.
func (p *Page) viewThumb(at int, s thumbLayout) []string {
	t, sample, w := p.Theme, &p.pick.Samples[p.shown[at]], s.w-1
	high := s.h - captionRows
	lines := kit.Fill(p.picture(sample, s.size, high), w, high)
	label := kit.Left(" "+t.Greek(p.pick.Classes[sample.Label]), w)
	if at == p.at {
		label = t.Accent.Paint(t.Cursor) + t.Selected.Paint(label[1:])
	}
	if !sample.Wrong() {
		return append(lines, label, kit.Blanks(w))
	}
	wrong := wrongPrefix + p.pick.Classes[sample.Prediction]
	return append(lines, label, t.Title.Paint(kit.Left(t.Greek(wrong), w)))
}

// picture draws a sample in at most w by h cells.
func (p *Page) picture(s *certificate.Sample, w, h int) []string {
	if s.Picture == nil {
		return nil
	}
	full := kit.Pixels(*s.Picture.Within(kit.RealSide, kit.RealSide))
	if lines := p.Theme.Real(full, w, h); lines != nil {
		return lines
	}
	return p.Theme.Pixels(kit.Pixels(*s.Picture.Within(w, 2*h)), w, h)
}

// sampleAt returns the index of the sample at a place of the thumbnails; of is the number of
// samples.
func (s thumbLayout) sampleAt(x, y, of, cursor int) (at int, ok bool) {
	column, row := (x-1)/s.w, y/s.h
	if x < 1 || column >= s.across || row >= s.down {
		return 0, false
	}
	at = (s.top(cursor, of)+row)*s.across + column
	return at, at < of
}

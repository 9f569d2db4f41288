package plot

// pathPoints is the maximum number of points in a path, which bounds its memory: more points than a
// large screen has cells.
const pathPoints = 1 << 12

// Path is a trajectory in the plane, such as (λ, η) over steps. At most 4096 points are kept (see
// boundedList). A single excursion may vanish from a long path; the line charts of the coordinates
// keep it. The zero value is an empty path.
type Path struct {
	boundedList[pathPoint]
	part int // of the next point
}

// pathPoint is a point of a path. Only points of one part are joined by a line.
type pathPoint struct {
	x, y float64
	part int
}

// Append adds a point; one that is not finite breaks the path.
func (p *Path) Append(x, y float64) {
	if !finite(x) || !finite(y) {
		p.Break()
		return
	}
	p.add(pathPoint{x, y, p.part}, pathPoints)
}

// Break interrupts the path before the next point.
func (p *Path) Break() { p.part++ }

// Ranges returns the ranges of the points that are kept.
func (p *Path) Ranges() (x, y Range) {
	x, y = EmptyRange(), EmptyRange()
	for _, q := range p.items {
		x, y = x.Add(q.x), y.Add(q.y)
	}
	return x, y
}

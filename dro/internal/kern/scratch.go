package kern

import "sync/atomic"

// Scratch is memory for the windows and copies of convolutions during a call, a piece for each
// thread. The operations of one network share a Scratch; networks that run at once have one each.
type Scratch struct {
	pieces []piece
	zeros  []float32
}

type piece struct {
	busy   atomic.Bool
	memory []float32
	_      [cacheLine]byte
}

// NewScratch returns memory for a team of so many threads.
func NewScratch(threads int) *Scratch { return &Scratch{pieces: make([]piece, threads)} }

// grow makes each piece at least size values long, and zeros at least the given length. It is for
// constructors.
func (s *Scratch) grow(size, zeros int) {
	for i := range s.pieces {
		if p := &s.pieces[i]; len(p.memory) < size {
			p.memory = Alloc(size)
		}
	}
	if len(s.zeros) < zeros {
		s.zeros = Alloc(zeros)
	}
}

// open begins a call of a team. It takes back the pieces that a failed call has left taken.
func (s *Scratch) open(t *Team) {
	if t.Size() > len(s.pieces) {
		panic("kern: Scratch: made for fewer threads than the team has")
	}
	for i := range s.pieces {
		s.pieces[i].busy.Store(false)
	}
}

// acquire returns a piece that no other task has. There is one, because at most as many tasks run
// as there are pieces.
func (s *Scratch) acquire() *piece {
	for {
		for i := range s.pieces {
			if s.pieces[i].busy.CompareAndSwap(false, true) {
				return &s.pieces[i]
			}
		}
	}
}

func (s *Scratch) release(p *piece) { p.busy.Store(false) }

// first returns the piece's first n values.
func (p *piece) first(n int) []float32 { return p.memory[:n] }

// split returns the piece's first n values, and the m values behind them.
func (p *piece) split(n, m int) (_, _ []float32) { return p.memory[:n], p.memory[n:][:m] }

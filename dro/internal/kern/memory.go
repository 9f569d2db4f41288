package kern

// Memory measures the other roofline, the rate of memory: it reads an array in order and does
// nothing else. No kernel can read data that is in no cache at a higher rate.
type Memory struct {
	isa ISA
	x   []float32
	sum [memoryTasks][1]float32 // the sum of each piece, which gives reading it a use
}

// memoryTasks is the number of pieces that an array is cut into. The pieces of a thread follow each
// other.
const memoryTasks = 64

// NewMemory returns a Memory that reads with the kernels of isa.
func NewMemory(isa ISA) (*Memory, error) { return &Memory{isa: isa}, isa.check() }

// Read reads x on all threads of t.
func (m *Memory) Read(t *Team, x []float32) {
	m.x = x
	t.run(memoryTasks, m)
	m.x = nil
}

func (m *Memory) task(i int) {
	n := len(m.x) / memoryTasks / vector * vector
	if n > 0 {
		sumRows(m.isa, m.sum[i][:], m.x[i*n:(i+1)*n], 1, 0, n)
	}
}

package kern

// Memory is the other roofline: reading in order and nothing else, the most that memory gives a
// kernel which reads what no cache has.
type Memory struct {
	isa ISA
	x   []float32
	sum [memoryTasks][1]float32 // so that reading is not for nothing
}

// memoryTasks is into how many pieces an array is cut; a thread's follow each other.
const memoryTasks = 64

// NewMemory returns that roofline.
func NewMemory(isa ISA) (*Memory, error) { return &Memory{isa: isa}, isa.check() }

// Read reads x, with all threads.
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

package nn

// Features writes the input of the last layer for each sample of the last Losses.
func (n *Net) Features(rows [][]float32) {
	last := n.stages[len(n.stages)-1]
	size := last.in.Len()
	if last.from < 0 {
		for i := range n.graph.labels {
			copy(rows[i], n.graph.rows.X[n.graph.rows.At[i]:][:size])
		}
		return
	}
	plain := make([]float32, len(n.graph.labels)*size)
	n.graph.last.Unpack(plain, n.graph.features)
	for i := range n.graph.labels {
		copy(rows[i], plain[i*size:])
	}
}

// LastLayer returns the last layer's weights, [class][feature], and biases: views.
func (n *Net) LastLayer() (weight, bias Tensor) {
	at := len(n.parameters) - 2
	return n.parameters[at], n.parameters[at+1]
}

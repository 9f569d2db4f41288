package runs

// deletedMsg says which runs are gone, and why others are not.
type deletedMsg struct {
	ids      []string
	problems []error
}

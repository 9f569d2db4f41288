package compare

// TermAndOpposite parses one term of a filter. Both are nil while its value is missing.
func TermAndOpposite(text string) (yes, no Filter, err error) {
	t, err := parseTerm(text)
	if err != nil || t.value == "" {
		return nil, nil, err
	}
	o := t
	o.not = !t.not
	return t.matches, o.matches, nil
}

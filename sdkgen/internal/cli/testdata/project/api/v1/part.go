package v1

// Part is a part.
type Part struct {
	// name of the part.
	Name string `json:"name"`
}

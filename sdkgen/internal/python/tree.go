package python

// Expr is an expression. One that is left out is nil.
type Expr interface{}

// Stmt is a statement.
type Stmt interface{}

// Name is a variable.
type Name struct {
	Pos Pos
	ID  string
}

// Attr is X.ID.
type Attr struct {
	X   Expr
	Pos Pos // of ID
	ID  string
}

// Call is Fun(Args).
type Call struct {
	Fun  Expr
	Args []Arg
}

// Arg is an argument: of a keyword if Name is set, else by position. *x and **x are by position.
type Arg struct {
	Pos   Pos
	Name  string
	Value Expr
}

// Index is X[Key].
type Index struct{ X, Key Expr }

// String is a literal of text, or several in a row.
type String struct {
	Pos   Pos
	Value string
}

// Constant is None, True, False, ..., a number, or a literal of bytes.
type Constant struct{ Text string }

// Sequence is a display of a list, a tuple or a set, as its bracket says.
type Sequence struct {
	Bracket  byte // '[', '(' or '{'
	Elements []Expr
}

// Dict is a display of a dictionary.
type Dict struct{ Items []Item }

// Item is one of a Dict; Key is nil for **Value.
type Item struct{ Key, Value Expr }

// Comprehension is one of a list, a set, a dictionary or, with '(', a generator.
type Comprehension struct {
	Bracket byte
	Key     Expr // of a dictionary
	Value   Expr
	Clauses []Clause
}

// Clause is "for Target in Iter if Ifs".
type Clause struct {
	Target, Iter Expr
	Ifs          []Expr
}

// Lambda is a function without a name.
type Lambda struct {
	Params []Param
	Body   Expr
}

// Conditional is "Then if Test else Else".
type Conditional struct{ Test, Then, Else Expr }

// Named is "Target := Value", or "Value as Target" in a pattern, where Value may be left out.
type Named struct {
	Target *Name
	Value  Expr
}

// Starred is *X, or **X if Double.
type Starred struct {
	Double bool
	X      Expr
}

// Await is "await X".
type Await struct{ X Expr }

// Binary is X Op Y for every operator, comparisons, "and" and "or" among them.
type Binary struct {
	Op   string
	X, Y Expr
}

// Slice is "a:b:c" in an Index.
type Slice struct{ Parts []Expr }

// Other is what is made of parts and is none of the above: a unary operator, yield, an f-string
// with its replacement fields.
type Other struct{ Parts []Expr }

// Param is a parameter. Stars is 1 for *args and 2 for **kwargs.
type Param struct {
	Name                string
	Stars               int
	Annotation, Default Expr
}

// Eval is an expression as a statement; raise and assert are Evals of what they hold.
type Eval struct{ Value Expr }

// Assign is "Targets[0] = Targets[1] = Value".
type Assign struct {
	Targets []Expr
	Value   Expr
}

// Annotated is "Target: Annotation = Value"; Value may be nil.
type Annotated struct{ Target, Annotation, Value Expr }

// Augmented is "Target += Value" for any operator.
type Augmented struct{ Target, Value Expr }

// Import is "import Names".
type Import struct{ Names []Alias }

// From is "from Module import Names", with Level dots in front of Module. Names is nil for *.
type From struct {
	Pos    Pos // of Module, or of its dots
	Module string
	Level  int
	Names  []Alias
}

// Alias is "Name as As"; As is "" where there is none.
type Alias struct {
	Pos      Pos
	Name, As string
}

// Def is a function.
type Def struct {
	Name       string
	Async      bool
	Decorators []Expr
	Params     []Param
	Returns    Expr
	Body       []Stmt
}

// Class is a class.
type Class struct {
	Name       string
	Decorators []Expr
	Args       []Arg
	Body       []Stmt
}

// Return is "return Value".
type Return struct{ Value Expr }

// If is "if Test". An elif is an If in Else.
type If struct {
	Test       Expr
	Body, Else []Stmt
}

// For is "for Target in Iter".
type For struct {
	Target, Iter Expr
	Body, Else   []Stmt
}

// While is "while Test".
type While struct {
	Test       Expr
	Body, Else []Stmt
}

// With is "with Items"; Target of an Item is its Value, and the object is its Key.
type With struct {
	Items []Item
	Body  []Stmt
}

// Try is "try".
type Try struct {
	Body     []Stmt
	Handlers []Handler
	Else     []Stmt
	Finally  []Stmt
}

// Handler is "except Type as Name".
type Handler struct {
	Type Expr
	Name string
	Body []Stmt
}

// Match is "match Subject".
type Match struct {
	Subject Expr
	Cases   []Case
}

// Case is "case Pattern if Guard". Names in a pattern are bound, but for those that are called.
type Case struct {
	Pattern, Guard Expr
	Body           []Stmt
}

// Delete is "del Targets".
type Delete struct{ Targets []Expr }

// Declare is "global Names" or "nonlocal Names".
type Declare struct{ Names []string }

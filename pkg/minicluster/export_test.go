package minicluster

// ExportComplete is for tests of other packages.
var ExportComplete = complete

// Package v1 is hostile.
// Quotes: " ' """ ''' ` ``` and a closing """) + __import__("os").system("touch pwned") + ("""
// Comments: */ /* // # <!-- --> ]]>
// Templates: {{name}} {{/models}} {{{classname}}} {{=<% %>=}} <%name%> {% x %} ${HOME} $(touch pwned) #{x}
// Formats: %s %d %% %(x)s {0} {x!r} \N{BULLET} \x00 \u2028 \" \
// Unicode: ü é 日本 😀     ‮ ‬ ​  
// Controls:     [31m
// """
// '''
// */
// func init() { panic("pwned") }
// import os; os.system("touch pwned")
// ends with a backslash \
// +k8s:deepcopy-gen=package
// +k8s:openapi-gen=true
// +groupName=example.org
package v1

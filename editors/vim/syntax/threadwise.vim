" Colours of the Threadwise language.
if exists('b:current_syntax')
  finish
endif

syntax keyword threadwiseControl if else while loop break continue choose or for goto return select
syntax keyword threadwiseThreads atomic await acquire release acquire_read acquire_write release_read release_write
syntax keyword threadwiseThreads start join wait signal broadcast send receive
syntax keyword threadwiseProperty assert assume invariant never norace nodeadlock rely guarantee action exceptions
syntax keyword threadwiseDeclaration const type enum record shared init thread proc fun returns var abstract
syntax keyword threadwiseType bool int u8 u16 u32 u64 i8 i16 i32 i64 tid set lock mutex rwlock cond chan
syntax keyword threadwiseConstant true false none self
syntax keyword threadwiseOperatorWord forall exists in subset union inter minus size count ord
syntax keyword threadwiseStatement skip idle
syntax match threadwiseNumber /\<\(0x[0-9A-Fa-f_]\+\|[0-9][0-9_]*\)\>/
syntax match threadwiseLabel /@\s*\h\w*/
syntax match threadwiseOperator /<==>\|==>\|->\|::\|&&\|||\|[=!<>]=\|[-+*%<>=!&|^~?']/
syntax region threadwiseText start=/"/ end=/"/ oneline
syntax keyword threadwiseTodo TODO FIXME XXX contained
syntax match threadwiseComment /\/\/.*$/ contains=threadwiseTodo,@Spell
syntax region threadwiseComment start=/\/\*/ end=/\*\// contains=threadwiseTodo,@Spell

highlight default link threadwiseControl Conditional
highlight default link threadwiseThreads Keyword
highlight default link threadwiseProperty Exception
highlight default link threadwiseDeclaration StorageClass
highlight default link threadwiseType Type
highlight default link threadwiseConstant Constant
highlight default link threadwiseOperatorWord Operator
highlight default link threadwiseStatement Statement
highlight default link threadwiseNumber Number
highlight default link threadwiseLabel Label
highlight default link threadwiseOperator Operator
highlight default link threadwiseText String
highlight default link threadwiseTodo Todo
highlight default link threadwiseComment Comment

let b:current_syntax = 'threadwise'

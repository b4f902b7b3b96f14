" Indentation and comments of the Threadwise language.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1
setlocal commentstring=//\ %s comments=s1:/*,mb:*,ex:*/,://
setlocal expandtab shiftwidth=2 softtabstop=2 cindent cinoptions=L0
setlocal makeprg=threadwise\ check\ --quiet\ --format\ github\ %:S
setlocal errorformat=::error\ file=%f\\,line=%l\\,%.%#::%m
if executable('threadwise')
  setlocal formatprg=threadwise\ fmt\ -
endif
let b:undo_ftplugin = 'setlocal commentstring< comments< expandtab< shiftwidth< softtabstop< cindent< cinoptions< makeprg< errorformat< formatprg<'

autocmd BufRead,BufNewFile *.tw setfiletype threadwise

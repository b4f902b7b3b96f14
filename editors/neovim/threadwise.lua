-- Settings for Neovim 0.11 or later: put this file into the folder `lsp` of your configuration and say
-- `vim.lsp.enable('threadwise')` in init.lua. The colours are those of ../vim.
vim.filetype.add({ extension = { tw = 'threadwise' } })

return {
  cmd = { 'threadwise', 'lsp' },
  -- C and Java files get a verdict once `:lua vim.lsp.codelens.run()` on their first line has asked for one.
  filetypes = { 'threadwise', 'c', 'java' },
  root_markers = { '.git' },
  init_options = { timeout = 30, verifyOnSave = true },
}

// Runs in the head, before anything is drawn, so that a dark page does not flash. It becomes a classic script of its own.
{
  let theme: string | null = null
  try {
    theme = localStorage.getItem('elfmem.theme')
  } catch {
    // The browser keeps nothing for this page; then the system decides.
  }
  if (theme !== 'dark' && theme !== 'light')
    theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  document.documentElement.dataset.theme = theme
}

import { signal } from '@preact/signals'
import { Button } from './parts/button.tsx'

/** Light or dark; what is drawn on a canvas reads it to draw anew. */
export const theme = signal<'light' | 'dark'>(
  document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light',
)

/** Switches between light and dark, and the browser keeps it. */
export function ThemeSwitch() {
  const next = theme.value === 'dark' ? 'light' : 'dark'
  const change = () => {
    document.documentElement.dataset.theme = next
    theme.value = next
    try {
      localStorage.setItem('elfmem.theme', next)
    } catch {
      // The browser keeps nothing for this page; the switch holds until it is closed.
    }
  }
  return (
    <Button
      tone="quiet"
      icon={next === 'light' ? 'sun' : 'moon'}
      label={next === 'light' ? 'Light colours' : 'Dark colours'}
      onClick={change}
    />
  )
}

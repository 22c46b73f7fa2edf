import { signal } from '@preact/signals'
import { Button } from './parts/button.tsx'

type Theme = 'light' | 'dark'

const KEPT = 'elfmem.theme'

/** Light or dark, as the page has it. */
const theme = signal<Theme>(document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light')

function show(next: Theme): void {
  document.documentElement.dataset.theme = next
  theme.value = next
}

// Until somebody chooses, the system's choice holds, also when it changes in the evening.
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', ({ matches }) => {
  if (kept() === null) show(matches ? 'dark' : 'light')
})

function kept(): string | null {
  try {
    return localStorage.getItem(KEPT)
  } catch {
    // The browser keeps nothing for this page.
    return null
  }
}

/** Switches between light and dark, and the browser keeps it. */
export function ThemeSwitch() {
  const next = theme.value === 'dark' ? 'light' : 'dark'
  const change = () => {
    show(next)
    try {
      localStorage.setItem(KEPT, next)
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

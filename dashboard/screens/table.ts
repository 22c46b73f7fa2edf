import type { ComponentType } from 'preact'
import type { Query } from '../address.ts'
import type { IconName } from '../parts/icon.tsx'
import { Screen as Overview } from './overview/screen.tsx'

/** A screen of the page. */
export interface ScreenRecord {
  /** Its name in the address; overview is `/`. */
  readonly path: string
  readonly name: string
  /** Its name where there is little room. */
  readonly short?: string
  readonly icon: IconName
  /** full: it fills the page and scrolls inside; sheet: the page scrolls. */
  readonly form: 'full' | 'sheet'
  /** Where the drawer of a block stands. */
  readonly drawer: 'beside' | 'floating'
  /** True: it has a place in the bar of phones; the others are behind More. */
  readonly isInBar: boolean
  readonly load: () => Promise<{ readonly Screen: ComponentType<{ readonly query: Query }> }>
}

/** All screens, in the order of the side bar. */
export const screens: readonly ScreenRecord[] = [
  {
    ...{
      path: 'overview',
      name: 'What it knows',
      short: 'Knows',
      icon: 'home',
      form: 'sheet',
      drawer: 'floating',
      isInBar: true,
    },
    // The page begins with it: a file of its own would be one more to wait for.
    load: async () => ({ Screen: Overview }),
  },
  {
    ...{ path: 'memory', name: 'Memory', icon: 'list', form: 'full', drawer: 'beside', isInBar: true },
    load: () => import('./memory/screen.tsx'),
  },
  {
    ...{
      path: 'recall',
      name: 'Recall lab',
      short: 'Recall',
      icon: 'flask',
      form: 'sheet',
      drawer: 'floating',
      isInBar: true,
    },
    load: () => import('./recall/screen.tsx'),
  },
  {
    ...{ path: 'graph', name: 'Graph', icon: 'graph', form: 'full', drawer: 'floating', isInBar: false },
    load: () => import('./graph/screen.tsx'),
  },
  {
    ...{ path: 'review', name: 'Review', icon: 'check', form: 'sheet', drawer: 'floating', isInBar: true },
    load: () => import('./review/screen.tsx'),
  },
  {
    ...{ path: 'journal', name: 'Journal', icon: 'clock', form: 'sheet', drawer: 'floating', isInBar: false },
    load: () => import('./journal/screen.tsx'),
  },
  {
    ...{
      path: 'identity',
      name: 'Identity',
      icon: 'person',
      form: 'sheet',
      drawer: 'floating',
      isInBar: false,
    },
    load: () => import('./identity/screen.tsx'),
  },
  {
    ...{ path: 'health', name: 'Health', icon: 'pulse', form: 'sheet', drawer: 'floating', isInBar: false },
    load: () => import('./health/screen.tsx'),
  },
  {
    ...{ path: 'doctor', name: 'Doctor', icon: 'gear', form: 'sheet', drawer: 'floating', isInBar: false },
    load: () => import('./doctor/screen.tsx'),
  },
]

import type { ViewFacts } from './facts.ts'
import { createPlaceView } from './place.ts'
import { createSettingsView } from './settings.ts'

/**
 * The records of what a screen needs and no operation gives. `invoke` runs them as operations; no command, no tool and no method is
 * made of them.
 */
export const createViews = (facts: ViewFacts) =>
  ({ settings: createSettingsView(facts), place: createPlaceView(facts) }) as const

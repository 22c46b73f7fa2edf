import * as z from 'zod'
import { frameSettings } from './frames.ts'
import { graphSettings } from './graph-settings.ts'
import { implicitSettings } from './implicit-settings.ts'
import { learningSettings } from './learning-settings.ts'
import { limitSettings } from './limit-settings.ts'
import { decaySettings, memorySettings } from './memory-settings.ts'
import { conflictSettings, modelSettings, promptSettings, rescoreSettings } from './model-settings.ts'
import { recallSettings } from './recall-settings.ts'
import {
  embeddingSettings,
  hookSettings,
  logSettings,
  projectSettings,
  sessionSettings,
  storeSettings,
} from './runtime-settings.ts'

/** Every tunable of elfmem. A missing section or key takes its default. */
export const settingsSchema = z.object({
  project: projectSettings.prefault({}),
  store: storeSettings.prefault({}),
  embeddings: embeddingSettings.prefault({}),
  llm: modelSettings.prefault({}),
  prompts: promptSettings.prefault({}),
  memory: memorySettings.prefault({}),
  rescore: rescoreSettings.prefault({}),
  conflicts: conflictSettings.prefault({}),
  graph: graphSettings.prefault({}),
  decay: decaySettings.prefault({}),
  learning: learningSettings.prefault({}),
  implicit: implicitSettings.prefault({}),
  recall: recallSettings.prefault({}),
  frames: frameSettings.prefault({}),
  limits: limitSettings.prefault({}),
  session: sessionSettings.prefault({}),
  hooks: hookSettings.prefault({}),
  log: logSettings.prefault({}),
})

/** All settings, checked and with every default filled in. */
export type Settings = z.output<typeof settingsSchema>
/** Settings as a caller writes them: each one that is left out has its default. */
export type SettingsInput = z.input<typeof settingsSchema>

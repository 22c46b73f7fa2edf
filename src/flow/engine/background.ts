import {
  BACKGROUND_SAMPLE,
  type CosineBackground,
  isCalibrated,
  REFERENCE_BACKGROUND,
} from '../../config/match-calibration.ts'
import type { StoreWriter } from '../../ports/store/transaction.ts'
import type { CosineScale } from '../../search/index/session-chains.ts'
import { readBackground, type StoredBackground, saveBackground } from './embedding.ts'
import type { Engine } from './engine.ts'

/** True if a measurement on so many blocks would say more than the one at hand. */
export function isBackgroundDue(background: StoredBackground | undefined, blocks: number): boolean {
  if (background === undefined) return blocks >= BACKGROUND_SAMPLE.fewestBlocks
  return blocks >= BACKGROUND_SAMPLE.growth * background.blocks
}

/**
 * Measures the background of a model that is not calibrated, when it is new or the store has doubled since, and keeps it
 * with the model's name. One statement, or two; the index must be up to date.
 */
export async function keepBackground(engine: Engine, tx: StoreWriter): Promise<void> {
  const { embedder, index, vectorModel } = engine
  if (isCalibrated(embedder.model)) return
  const known = await readBackground(tx, embedder.model)
  if (!isBackgroundDue(known, index.size)) return
  const measured = index.background(BACKGROUND_SAMPLE)
  if (measured === undefined) return
  vectorModel.background = { model: embedder.model, ...measured }
  await saveBackground(tx, vectorModel.background)
}

/** The line that brings a model's cosines to the scale of the constants; undefined where they are on it. */
export function scaleOf(background: CosineBackground): CosineScale {
  const factor = REFERENCE_BACKGROUND.deviation / background.deviation
  return { factor, offset: REFERENCE_BACKGROUND.mean - factor * background.mean }
}

import { useMemo } from 'preact/hooks'
import { createLanguage } from '../../../src/language/question.ts'
import { themeNames } from '../../../src/recall/theme-names.ts'
import type { Size } from '../../graph/camera.ts'
import type { Group, Overlay, Scene } from '../../graph/scene.ts'
import { foldedScene } from './scenes/folded.ts'
import type { Look } from './scenes/look.ts'
import { nearScene } from './scenes/near.ts'
import { type Fitting, fittingOf, type Picture } from './scenes/picture.ts'
import { overlayOf, placesOfAll, radiusOfAll, type Setup, wholeScene } from './scenes/whole.ts'
import type { MapState } from './state.ts'
import type { Laid } from './use-layout.ts'

/** Above so many blocks the map begins with its groups: drawn one by one they are a ball of wool. */
const MOST_BLOCKS = 5_000

/** What is on the map. */
export interface OnMap {
  /** Another key is another picture, with a camera of its own. */
  readonly key: string
  readonly kind: 'whole' | 'folded' | 'near'
  readonly scene: Scene
  readonly fitting: Fitting
  readonly names: readonly Group[]
  /** The block of a point, or the group of a disc. */
  readonly meaningOf: (point: number) => number
  readonly overlay: (point: number) => Overlay | undefined
}

interface SceneInput {
  readonly picture: Picture
  readonly laid: Laid
  readonly state: MapState
  /** Hours up to which things are shown. */
  readonly until: number
  readonly look: Look
  /** Room for a neighbourhood. */
  readonly room: Size
}

/** Makes the scene of the state the map is in. */
export function useScene({ picture, laid, state, until, look, room }: SceneInput): OnMap {
  const groups = laid.groups
  const names = useMemo(() => groupNames(picture, groups), [picture, groups])
  const without = [...state.without].join()
  const showing = { without: state.without, least: state.least, until, lone: state.lone, group: state.group }
  const fitting = useMemo(
    () => fittingOf(picture, showing, groups),
    [picture, groups, without, state.least, until, state.lone, state.group],
  )
  const places = useMemo(() => placesOfAll(picture, laid.places), [picture, laid.places])
  const radius = useMemo(() => radiusOfAll(picture), [picture])
  const middle = state.near === undefined ? -1 : picture.ids.indexOf(state.near)
  return useMemo(() => {
    const setup: Setup = { picture, groups, by: state.by, look }
    if (middle >= 0) {
      const { scene, blocks } = nearScene(setup, { middle, steps: state.steps, until, room })
      const key = `near ${state.near} ${state.steps}`
      const meaningOf = (point: number) => blocks[point] ?? middle
      return { key, kind: 'near', scene, fitting, names, meaningOf, overlay: () => undefined }
    }
    const isFolded = picture.joined > MOST_BLOCKS && state.group === undefined && !state.every
    if (isFolded && groups !== undefined) {
      const folded = foldedScene({ ...setup, groups }, { fitting, places, names })
      const meaningOf = (point: number) => folded.groups[point] ?? 0
      return {
        key: 'folded',
        kind: 'folded',
        scene: folded.scene,
        fitting,
        names,
        meaningOf,
        overlay: () => undefined,
      }
    }
    return {
      key: state.group === undefined ? 'whole' : `group ${state.group}`,
      kind: 'whole',
      scene: wholeScene(setup, { fitting, places, radius, names: state.group === undefined ? names : [] }),
      fitting,
      names,
      meaningOf: (point: number) => point,
      overlay: (point: number) => overlayOf(setup, fitting, point),
    }
  }, [
    picture,
    groups,
    names,
    fitting,
    places,
    state.by,
    state.steps,
    middle,
    until,
    look,
    room.width,
    room.height,
    state.every,
  ])
}

function groupNames(picture: Picture, groups: Int32Array | undefined): readonly Group[] {
  const members: number[][] = []
  groups?.forEach((group, at) => {
    members[group] ??= []
    members[group].push(at)
  })
  const language = createLanguage('auto')
  const texts = picture.texts.slice(0, picture.joined).map((text) => {
    // The last word of a text that was cut may be half a word.
    const content = text.replace(/\S*…$/, '')
    return { content, terms: language.terms(content) }
  })
  const names = themeNames(texts, members, language)
  return members.map((own, group) => ({
    group,
    size: own.length,
    name: names[group] || `group ${group + 1}`,
  }))
}

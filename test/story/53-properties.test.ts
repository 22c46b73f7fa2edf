import { expect, test } from 'vitest'
import { openTestMemory } from '../helpers/memory.ts'
import { miniLm } from '../helpers/minilm.ts'

/** Two notes that both hold, the older asked for: as a stranger made them up who knew no rule. */
const BOTH_HOLD = `
    The prayer rug is 3 m long. | The prayer rug is 2 m wide. | How long is the prayer rug?
    The tortoise is 90 years old. | The tortoise is 12 kg heavy. | How old is the tortoise?
    The tortoise is 90 years old. | The tortoise is 30 m behind. | How old is the tortoise?
    The dog is called Rolf. | The dog is 9 years old. | What is the dog called?
    The incubator has a minimum of 36 degrees. | The incubator has a maximum of 38 degrees. | What is the minimum of the incubator?
    The night train leaves at 22:10. | The night train leaves from track 3. | When does the night train leave?
    The harp was made by Aino. | The harp was made for Pekka. | Who was the harp made by?
    The mill runs on Fridays. | The mill runs at 8 rpm. | On which days does the mill run?
    The barge comes from Ulm. | The barge goes to Augsburg. | Where does the barge come from?
    The kite with tail weighs 90 g. | The kite without tail weighs 70 g. | What does the kite with tail weigh?
    Die Suppe mit Lauch kostet 6 Euro. | Die Suppe ohne Lauch kostet 5 Euro. | Was kostet die Suppe mit Lauch?
    The owl box is on the oak. | The owl boxes are on the beech. | Where is the owl box?
    La ruche est au fond du jardin. | Les ruches sont sur le toit. | Où est la ruche ?
    The tank is at 5 bar. | The tank could be at 7 bar. | What pressure is the tank at?
    The boiler is set to 60 degrees. | I wonder whether the boiler is set to 70 degrees now. | What is the boiler set to?
    The bus leaves at 7:30. | The bus would leave at 8:00 in a better world. | When does the bus leave?
    The vat is at 3 % acid. | The vat should be at 5 % acid. | How much acid is in the vat?
    The bridge is 40 m long. | The bridge is supposedly 60 m long. | How long is the bridge?
    Der Ofen steht auf 200 Grad. | Ich frage mich, ob der Ofen jetzt auf 220 Grad steht. | Auf wie viel Grad steht der Ofen?
    Le four est à 150 degrés. | Le four est peut-être à 170 degrés. | À combien de degrés est le four ?
    The toll is 4 thalers. | "The toll is 9 thalers," said the drunk miller. | What is the toll?
    The organ is in Ulm. | The organ moves to Bonn next year. | Where is the organ?
    The tower of St. Anna is 61 m high. | Is the tower of St. Anna 75 m high? | How high is the tower of St. Anna?
    La poste ferme à 12 h le mardi. | La poste ferme à 19 h le vendredi. | À quelle heure ferme la poste le mardi ?
    Die Post schließt am Dienstag um 12 Uhr. | Die Post schließt am Freitag um 19 Uhr. | Wann schließt die Post am Dienstag?
    The weavers meet in room 12 on Tuesday. | The weavers meet in room 7 on Friday. | Where do the weavers meet?
    The retry limit is 3 for reads. | The retry limit is 5 for writes. | What is the retry limit?
    The dough is at 24 degrees before kneading. | The dough is at 31 degrees after kneading. | How warm is the dough?
  `
  .trim()
  .split('\n')
  .map(
    (line) => line.split('|').map((text) => text.trim()) as [older: string, newer: string, question: string],
  )

test.each(BOTH_HOLD)('"%s" stands under nothing, whatever "%s" says', async (older, newer, question) => {
  const { memory, clock } = await openTestMemory({ embedder: miniLm() })
  await memory.remember({ content: older, session: 'one' })
  await memory.dream()
  clock.advance({ hours: 24 })
  const { mayReplace = [] } = await memory.remember({ content: newer, session: 'two' })
  expect(mayReplace).toEqual([])
  const entriesBefore = (await memory.recall({ query: question, reinforce: false })).blocks
  await memory.dream()
  const { blocks } = await memory.recall({ query: question, reinforce: false })
  for (const entries of [entriesBefore, blocks]) {
    expect(entries.map(({ content }) => content)).toContain(older)
    expect(entries.flatMap(({ versions = [] }) => versions)).toEqual([])
  }
})

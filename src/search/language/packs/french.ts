import { stemmer } from '@orama/stemmers/french'
import type { LanguageData } from '../pack.ts'

export const FRENCH: LanguageData = {
  id: 'french-1',
  stem: stemmer,
  stopWords:
    'a à ai aie as au aux avait avec avez avons c ce ceci cela ces cet cette ceux chez comme comment d dans de des dont du elle ' +
    'elles en es est et étaient était été être eu eux fait il ils j je l la le les leur leurs lui m ma mais me même mes moi mon n ' +
    'ne nos notre nous on ont ou où par pas plus pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa sans se sera ' +
    'ses si son sont suis sur t ta te tes toi ton tu un une vos votre vous y',
  months: 'janvier février mars avril mai juin juillet août septembre octobre novembre décembre',
  timeWords:
    'hier avant-hier aujourd demain dernier dernière derniers dernières prochain prochaine prochains prochaines depuis récemment ' +
    'lundi mardi mercredi jeudi vendredi samedi dimanche semaine semaines mois année années ans jours',
  whenStarts: ['quand', 'depuis quand', 'depuis combien', 'combien de temps', 'jusqu à quand'],
  whenPhrases: [
    'à quelle date',
    'quelle date',
    'quel jour',
    'quel mois',
    'quelle année',
    'quelle semaine',
    'à quelle heure',
    'combien de jours',
    'combien de semaines',
    'combien de mois',
    "combien d'années",
  ],
  and: 'et',
  both: 'deux',
}

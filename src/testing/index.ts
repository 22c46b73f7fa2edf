export {
  type Expect,
  type OpenedStore,
  type StoreContract,
  storeContract,
  type Test,
} from './store-contract.ts'

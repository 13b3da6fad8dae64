// SPDX-License-Identifier: Apache-2.0
// Lists of fields for common papers, and the user's own, which stay in the browser.
import { store, forever } from "./dom.js";

const kMaxOwn = 50;

export const presets = [
  { key: "resume", fields: ["姓名", "性别", "出生日期", "学历", "学校", "专业", "公司", "职位", "工作年限", "薪资", "手机号", "邮箱"] },
  { key: "contract", fields: ["合同名称", "合同编号", "甲方", "乙方", "合同金额", "付款方式", "签订日期", "生效日期", "到期日期", "违约金"] },
  { key: "invoice", fields: ["发票号码", "开票日期", "公司", "统一社会信用代码", "产品名称", "数量", "单价", "税率", "总价", "开户行", "银行账号"] },
  { key: "ticket", fields: ["工单号", "联系人", "联系电话", "产品名称", "问题类型", "故障现象", "诉求", "发生时间"] },
  { key: "tender", fields: ["项目名称", "招标人", "中标人", "预算金额", "中标金额", "开标时间", "地点", "联系人", "联系电话"] },
  { key: "medical", fields: ["姓名", "性别", "年龄", "科室", "时间", "诊断", "药品"] },
];

export function ownPresets() {
  const kept = store.get(forever, "presets", []);
  return Array.isArray(kept) ? kept.filter((one) => one && typeof one.name === "string" && Array.isArray(one.fields)) : [];
}

export function saveOwnPreset(name, fields) {
  const others = ownPresets().filter((one) => one.name !== name);
  return store.set(forever, "presets", [...others, { name, fields }].slice(-kMaxOwn));
}

export function deleteOwnPreset(name) {
  store.set(forever, "presets", ownPresets().filter((one) => one.name !== name));
}

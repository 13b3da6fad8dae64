// SPDX-License-Identifier: Apache-2.0
// The 87 standard fields: name, type, the first English word for it and other words that complete to it. A test compares them
// with standard-fields.json; the server's own table (src/task/standard_fields.cc) knows more synonyms.

export const standardFields = [
  { name: "姓名", type: "person", english: "name", words: "名字|全名|真实姓名" },
  { name: "法定代表人", type: "person", english: "legal representative", words: "法人|法人代表|法定代表" },
  { name: "联系人", type: "person", english: "contact", words: "联络人|联系人姓名" },
  { name: "收货人", type: "person", english: "consignee", words: "收件人|签收人|收货人姓名" },
  { name: "被保险人", type: "person", english: "insured", words: "受保人" },
  { name: "人物", type: "person", english: "person", words: "人名|人员" },
  { name: "公司", type: "org", english: "company", words: "公司名称|公司全称|企业" },
  { name: "部门", type: "org", english: "department", words: "所在部门|所属部门" },
  { name: "学校", type: "org", english: "school", words: "毕业院校|毕业学校|院校" },
  { name: "甲方", type: "org", english: "party a", words: "甲方名称|委托方" },
  { name: "乙方", type: "org", english: "party b", words: "乙方名称|受托方" },
  { name: "开户行", type: "org", english: "bank", words: "开户银行|开户行名称|开户银行名称" },
  { name: "物流公司", type: "org", english: "carrier", words: "快递公司|承运商|承运人" },
  { name: "投资方", type: "org", english: "investor", words: "投资机构|投资人|领投方" },
  { name: "招标人", type: "org", english: "tenderer", words: "招标方|招标单位|采购人" },
  { name: "中标人", type: "org", english: "winning bidder", words: "中标方|中标单位|中标公司" },
  { name: "组织机构", type: "org", english: "organization", words: "组织|机构|机构名" },
  { name: "科室", type: "org", english: "clinical department", words: "就诊科室" },
  { name: "籍贯", type: "place", english: "native place", words: "祖籍|户籍" },
  { name: "地址", type: "place", english: "address", words: "住址|通讯地址|联系地址" },
  { name: "收货地址", type: "place", english: "shipping address", words: "收件地址|送货地址|配送地址" },
  { name: "地点", type: "place", english: "place", words: "地名|位置|发生地点" },
  { name: "出生日期", type: "date", english: "date of birth", words: "生日|出生年月|出生时间" },
  { name: "入职时间", type: "date", english: "hire date", words: "入职日期|加入时间|到岗时间" },
  { name: "签订日期", type: "date", english: "signing date", words: "签订时间|签署日期|签署时间" },
  { name: "生效日期", type: "date", english: "effective date", words: "生效时间|起始日期|开始日期" },
  { name: "到期日期", type: "date", english: "expiry date", words: "到期时间|到期日|截止日期" },
  { name: "开票日期", type: "date", english: "invoice date", words: "开票时间|发票日期" },
  { name: "下单时间", type: "date", english: "order time", words: "下单日期|订单时间|订单日期" },
  { name: "发生时间", type: "date", english: "occurrence time", words: "发生日期|事发时间|事故时间" },
  { name: "开标时间", type: "date", english: "bid opening time", words: "开标日期" },
  { name: "时间", type: "date", english: "date", words: "日期|年份" },
  { name: "薪资", type: "amount", english: "salary", words: "工资|薪水|薪酬" },
  { name: "年薪", type: "amount", english: "annual salary", words: "年薪资|年收入" },
  { name: "合同金额", type: "amount", english: "amount", words: "金额|合同总额|合同价" },
  { name: "违约金", type: "amount", english: "penalty", words: "违约金额|罚金|罚款" },
  { name: "单价", type: "amount", english: "price", words: "价格|售价" },
  { name: "总价", type: "amount", english: "total", words: "总额|总金额|合计金额" },
  { name: "融资金额", type: "amount", english: "financing amount", words: "融资额|募资金额" },
  { name: "营业收入", type: "amount", english: "revenue", words: "营收|收入|营业额" },
  { name: "净利润", type: "amount", english: "net profit", words: "利润|净收益|归母净利润" },
  { name: "中标金额", type: "amount", english: "bid amount", words: "中标价|中标价格|成交价" },
  { name: "预算金额", type: "amount", english: "budget", words: "预算|采购预算|项目预算" },
  { name: "保额", type: "amount", english: "sum insured", words: "保险金额|保障金额" },
  { name: "保费", type: "amount", english: "premium", words: "保险费" },
  { name: "贷款金额", type: "amount", english: "loan amount", words: "贷款额|借款金额|授信额度" },
  { name: "年龄", type: "number", english: "age", words: "岁数|周岁" },
  { name: "数量", type: "number", english: "quantity", words: "个数|件数|人数" },
  { name: "税率", type: "percent", english: "tax rate", words: "增值税率|增值税税率" },
  { name: "增长率", type: "percent", english: "growth", words: "增速|增幅|涨幅" },
  { name: "利率", type: "percent", english: "interest rate", words: "年利率|月利率|贷款利率" },
  { name: "工作年限", type: "duration", english: "work experience", words: "工龄|从业年限|工作经验" },
  { name: "期限", type: "duration", english: "term", words: "合同期限|保修期|工期" },
  { name: "手机号", type: "phone", english: "mobile", words: "手机|手机号码|移动电话" },
  { name: "固定电话", type: "phone", english: "landline", words: "座机|固话|办公电话" },
  { name: "联系电话", type: "phone", english: "phone", words: "电话|电话号码|联络电话" },
  { name: "邮箱", type: "email", english: "email", words: "电子邮箱|电子邮件|邮件" },
  { name: "身份证号", type: "id", english: "id card", words: "身份证|身份证号码|公民身份号码" },
  { name: "统一社会信用代码", type: "id", english: "unified social credit code", words: "信用代码|社会信用代码|统一信用代码" },
  { name: "合同编号", type: "id", english: "contract number", words: "编号|合同号|协议编号" },
  { name: "银行账号", type: "id", english: "bank account", words: "银行卡号|银行账户|账号" },
  { name: "发票号码", type: "id", english: "invoice number", words: "发票号|发票编号|发票代码" },
  { name: "订单号", type: "id", english: "order number", words: "订单编号|订单号码" },
  { name: "运单号", type: "id", english: "tracking number", words: "运单编号|快递单号|物流单号" },
  { name: "工单号", type: "id", english: "ticket number", words: "工单|工单编号" },
  { name: "股票代码", type: "id", english: "stock code", words: "证券代码" },
  { name: "案号", type: "id", english: "case number", words: "案件号|案件编号" },
  { name: "保单号", type: "id", english: "policy number", words: "保单编号|保单号码|保险单号" },
  { name: "车牌号", type: "id", english: "license plate", words: "车牌|车牌号码|号牌号码" },
  { name: "微信号", type: "id", english: "QQ", words: "微信|微信账号|QQ号" },
  { name: "性别", type: "text", english: "gender", words: "" },
  { name: "民族", type: "text", english: "ethnicity", words: "" },
  { name: "学历", type: "text", english: "education", words: "最高学历|文化程度|学位" },
  { name: "专业", type: "text", english: "major", words: "所学专业" },
  { name: "职位", type: "text", english: "position", words: "职务|岗位|职称" },
  { name: "合同名称", type: "text", english: "contract name", words: "协议名称" },
  { name: "付款方式", type: "text", english: "payment method", words: "支付方式|结算方式" },
  { name: "产品名称", type: "text", english: "product", words: "产品|商品|商品名称" },
  { name: "问题类型", type: "text", english: "issue type", words: "问题分类|投诉类型" },
  { name: "故障现象", type: "text", english: "fault", words: "故障|故障描述|问题描述" },
  { name: "诉求", type: "text", english: "request", words: "客户诉求|诉讼请求" },
  { name: "事件", type: "text", english: "event", words: "事件名称" },
  { name: "融资轮次", type: "text", english: "funding round", words: "轮次" },
  { name: "股票名称", type: "text", english: "stock", words: "股票|股票简称|证券简称" },
  { name: "项目名称", type: "text", english: "project", words: "项目|工程名称" },
  { name: "诊断", type: "text", english: "diagnosis", words: "诊断结果|疾病|疾病名称" },
  { name: "药品", type: "text", english: "drug", words: "药品名称|药名|药物" },
];

export const fieldTypes = ["person", "org", "place", "date", "amount", "number", "percent", "duration", "phone", "email", "id", "text"];

const byName = new Map(standardFields.map((field) => [field.name, field]));

/// The type that a field has by its name alone, or "" when the page does not know it.
export function typeOf(name) {
  const field = byName.get(name);
  return field ? field.type : "";
}

/// Fields whose name or other words contain `typed`, those that begin with it first; at most `most`.
export function completions(typed, taken, most = 12) {
  const wanted = typed.trim().toLowerCase();
  const rank = (field) => {
    if (field.name.startsWith(wanted)) return 0;
    if (field.name.includes(wanted)) return 1;
    if (field.english.startsWith(wanted)) return 2;
    return field.words.includes(wanted) || field.english.includes(wanted) ? 3 : 9;
  };
  return standardFields
    .filter((field) => !taken.includes(field.name) && rank(field) < 9)
    .map((field, order) => ({ field, order }))
    .sort((a, b) => rank(a.field) - rank(b.field) || a.order - b.order)
    .slice(0, most)
    .map((pair) => pair.field);
}

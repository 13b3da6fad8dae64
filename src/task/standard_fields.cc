// SPDX-License-Identifier: Apache-2.0
// The rows themselves. Traditional characters, width, case, spaces, _ and - need no rows of their
// own.
#include "task/standard_fields.h"

namespace seqgpt {
namespace {

// clang-format off
constexpr StandardFieldRow kRows[] = {
    {"姓名", "person", "", "名字|全名|真实姓名|客户姓名|员工姓名|name|full name|person name"},
    {"法定代表人", "person", "", "法人|法人代表|法定代表|负责人|legal representative|legal person"},
    {"联系人", "person", "", "联络人|联系人姓名|contact|contact person|contact name"},
    {"收货人", "person", "", "收件人|签收人|收货人姓名|收件人姓名|consignee|recipient|receiver"},
    {"被保险人", "person", "", "受保人|insured|insured person"},
    {"人物", "person", "", "人名|人员|person|people"},
    {"公司", "org", "", "公司名称|公司全称|企业|企业名称|单位|单位名称|工作单位|任职公司|雇主|company|company name|employer|firm"},
    {"部门", "org", "", "所在部门|所属部门|department|dept"},
    {"学校", "org", "school", "毕业院校|毕业学校|院校|大学|高校|school|university|college"},
    {"甲方", "org", "", "甲方名称|委托方|party a"},
    {"乙方", "org", "", "乙方名称|受托方|party b"},
    {"开户行", "org", "bank", "开户银行|开户行名称|开户银行名称|银行|bank|bank name|opening bank"},
    {"物流公司", "org", "", "快递公司|承运商|承运人|carrier|courier|logistics company"},
    {"投资方", "org", "", "投资机构|投资人|领投方|investor|investors"},
    {"招标人", "org", "", "招标方|招标单位|采购人|采购单位|tenderer|purchaser"},
    {"中标人", "org", "", "中标方|中标单位|中标公司|中标供应商|winning bidder"},
    {"组织机构", "org", "", "组织|机构|机构名|机构名称|组织机构名|组织名|organization|organisation|org"},
    {"科室", "org", "", "就诊科室|clinical department|medical department"},
    {"籍贯", "place", "", "祖籍|户籍|native place|hometown|place of origin"},
    {"地址", "place", "", "住址|通讯地址|联系地址|家庭住址|注册地址|办公地址|详细地址|公司地址|住所|address|mailing address"},
    {"收货地址", "place", "", "收件地址|送货地址|配送地址|shipping address|delivery address"},
    {"地点", "place", "", "地名|位置|发生地点|place|location|venue"},
    {"出生日期", "date", "", "生日|出生年月|出生时间|date of birth|birth date|birthday|dob"},
    {"入职时间", "date", "", "入职日期|加入时间|到岗时间|hire date|start date|entry date|joining date"},
    {"签订日期", "date", "", "签订时间|签署日期|签署时间|签约日期|签约时间|signing date|date signed|contract date"},
    {"生效日期", "date", "", "生效时间|起始日期|开始日期|effective date"},
    {"到期日期", "date", "", "到期时间|到期日|截止日期|截止时间|失效日期|终止日期|结束日期|expiry date|expiration date|due date|end date|deadline"},
    {"开票日期", "date", "", "开票时间|发票日期|invoice date"},
    {"下单时间", "date", "", "下单日期|订单时间|订单日期|order time|order date"},
    {"发生时间", "date", "", "发生日期|事发时间|事故时间|事件时间|occurrence time|incident time|incident date"},
    {"开标时间", "date", "", "开标日期|bid opening time|bid opening date"},
    {"时间", "date", "", "日期|年份|date|time|datetime"},
    {"薪资", "amount", "", "工资|薪水|薪酬|薪金|月薪|salary|wage|pay|monthly salary"},
    {"年薪", "amount", "", "年薪资|年收入|annual salary|yearly salary|annual income|annual pay"},
    {"合同金额", "amount", "", "金额|合同总额|合同价|合同价款|合同总价|交易金额|付款金额|支付金额|amount|money|contract amount|contract value"},
    {"违约金", "amount", "", "违约金额|罚金|罚款|罚款金额|赔偿金|赔偿金额|penalty|fine|liquidated damages"},
    {"单价", "amount", "", "价格|售价|price|unit price"},
    {"总价", "amount", "", "总额|总金额|合计金额|价税合计|total|total price|total amount"},
    {"融资金额", "amount", "", "融资额|募资金额|financing amount|funding amount"},
    {"营业收入", "amount", "", "营收|收入|营业额|销售额|revenue|operating revenue|sales|turnover"},
    {"净利润", "amount", "", "利润|净收益|归母净利润|net profit|net income|profit"},
    {"中标金额", "amount", "", "中标价|中标价格|成交价|成交金额|bid amount|bid price|winning bid amount"},
    {"预算金额", "amount", "", "预算|采购预算|项目预算|budget|budget amount"},
    {"保额", "amount", "", "保险金额|保障金额|sum insured|insured amount|coverage amount"},
    {"保费", "amount", "", "保险费|premium|insurance premium"},
    {"贷款金额", "amount", "", "贷款额|借款金额|授信额度|本金|loan amount|principal"},
    {"年龄", "number", "count", "岁数|周岁|age"},
    {"数量", "number", "count", "个数|件数|人数|采购数量|购买数量|quantity|qty|count"},
    {"税率", "percent", "", "增值税率|增值税税率|tax rate|vat rate"},
    {"增长率", "percent", "", "增速|增幅|涨幅|同比增长|同比增长率|growth|growth rate"},
    {"利率", "percent", "", "年利率|月利率|贷款利率|年化利率|百分比|占比|interest rate|percent|percentage"},
    {"工作年限", "duration", "", "工龄|从业年限|工作经验|work experience|years of experience|seniority"},
    {"期限", "duration", "", "合同期限|保修期|工期|租期|租赁期限|贷款期限|保险期间|保险期限|时长|term|duration|period"},
    {"手机号", "phone", "mobile", "手机|手机号码|移动电话|mobile|mobile number|mobile phone|cell phone"},
    {"固定电话", "phone", "", "座机|固话|办公电话|公司电话|传真|landline|telephone|tel|fax"},
    {"联系电话", "phone", "", "电话|电话号码|联络电话|客服电话|热线|phone|phone number|contact number|contact phone"},
    {"邮箱", "email", "", "电子邮箱|电子邮件|邮件|邮箱地址|邮件地址|电子邮箱地址|电邮|email|mail|email address"},
    {"身份证号", "id", "id_card", "身份证|身份证号码|公民身份号码|居民身份证号|身份证件号码|id card|id card number|id number|national id|citizen id"},
    {"统一社会信用代码", "id", "uscc", "信用代码|社会信用代码|统一信用代码|纳税人识别号|税号|unified social credit code|uscc|credit code"},
    // A clause's number is written as a contract's parts are, and is asked for beside them.
    {"合同编号", "id", "", "编号|合同号|协议编号|文件编号|文号|条款编号|条款号|contract number|contract no|contract id|clause number"},
    {"银行账号", "id", "bank_card", "银行卡号|银行账户|账号|账户|卡号|收款账号|bank account|bank account number|account number|bank card number|card number"},
    {"发票号码", "id", "", "发票号|发票编号|发票代码|invoice number|invoice no"},
    {"订单号", "id", "", "订单编号|订单号码|order number|order no|order id"},
    {"运单号", "id", "", "运单编号|快递单号|物流单号|快递号|tracking number|tracking no|waybill number"},
    {"工单号", "id", "", "工单|工单编号|ticket number|ticket no|ticket id"},
    {"股票代码", "id", "", "证券代码|stock code|stock symbol|ticker|ticker symbol"},
    {"案号", "id", "", "案件号|案件编号|case number|case no|docket number"},
    {"保单号", "id", "", "保单编号|保单号码|保险单号|policy number|policy no"},
    {"车牌号", "id", "plate", "车牌|车牌号码|号牌号码|license plate|licence plate|number plate|plate number"},
    {"微信号", "id", "", "微信|微信账号|QQ|QQ号|QQ号码|wechat|wechat id"},
    {"性别", "text", "gender", "gender|sex"},
    {"民族", "text", "", "ethnicity|ethnic group"},
    {"学历", "text", "", "最高学历|文化程度|学位|education|education level|degree"},
    {"专业", "text", "", "所学专业|major"},
    {"职位", "text", "", "职务|岗位|职称|头衔|职业|position|job title|title|post|role"},
    {"合同名称", "text", "", "协议名称|contract name|contract title"},
    {"付款方式", "text", "", "支付方式|结算方式|payment method|payment terms"},
    {"产品名称", "text", "", "产品|商品|商品名称|货物名称|品名|product|product name|item"},
    {"问题类型", "text", "", "问题分类|投诉类型|issue type|problem type|category"},
    {"故障现象", "text", "", "故障|故障描述|问题描述|fault|failure|symptom"},
    {"诉求", "text", "", "客户诉求|诉讼请求|request|claim|demand"},
    {"事件", "text", "", "事件名称|event"},
    {"融资轮次", "text", "", "轮次|funding round|financing round"},
    {"股票名称", "text", "", "股票|股票简称|证券简称|证券名称|stock|stock name"},
    {"项目名称", "text", "", "项目|工程名称|project|project name"},
    {"诊断", "text", "", "诊断结果|疾病|疾病名称|病名|diagnosis|disease"},
    {"药品", "text", "", "药品名称|药名|药物|药物名称|drug|medicine|medication"},
};
// clang-format on

}  // namespace

std::span<const StandardFieldRow> standard_field_rows() {
  return kRows;
}

}  // namespace seqgpt

-- SPDX-License-Identifier: CC0-1.0
-- Licence CC0, public domain. Written for this project; every person and value is invented.
USE [master]
GO
CREATE DATABASE [HotelChain]
GO
USE [HotelChain]
GO
/****** Object:  Table [dbo].[Hotel]    Script Date: 05/02/2024 10:22:31 ******/
SET ANSI_NULLS ON
GO
SET QUOTED_IDENTIFIER ON
GO
CREATE TABLE [dbo].[Hotel](
	[HotelId] [int] IDENTITY(1,1) NOT NULL,
	[HotelName] [nvarchar](80) NOT NULL,
	[City] [nvarchar](60) NOT NULL,
	[StarRating] [tinyint] NOT NULL,
	[OpenedOn] [date] NULL,
	[ManagerId] [int] NULL,
 CONSTRAINT [PK_Hotel] PRIMARY KEY CLUSTERED 
(
	[HotelId] ASC
)WITH (PAD_INDEX = OFF, STATISTICS_NORECOMPUTE = OFF, IGNORE_DUP_KEY = OFF, ALLOW_ROW_LOCKS = ON, ALLOW_PAGE_LOCKS = ON) ON [PRIMARY]
) ON [PRIMARY]
GO
/****** Object:  Table [dbo].[Employee]    Script Date: 05/02/2024 10:22:31 ******/
CREATE TABLE [dbo].[Employee](
	[EmployeeId] [int] IDENTITY(1,1) NOT NULL,
	[HotelId] [int] NOT NULL,
	[FullName] [nvarchar](100) NOT NULL,
	[JobTitle] [nvarchar](50) NOT NULL,
	[Salary] [money] NULL,
	[ReportsToId] [int] NULL,
	[HiredOn] [date] NOT NULL,
 CONSTRAINT [PK_Employee] PRIMARY KEY CLUSTERED ([EmployeeId] ASC)
) ON [PRIMARY]
GO
/****** Object:  Table [dbo].[RoomType] ******/
CREATE TABLE [dbo].[RoomType](
	[RoomTypeCode] [char](3) NOT NULL,
	[Description] [nvarchar](60) NOT NULL,
	[MaxGuests] [tinyint] NOT NULL,
	[BaseRate] [decimal](8, 2) NOT NULL,
 CONSTRAINT [PK_RoomType] PRIMARY KEY NONCLUSTERED ([RoomTypeCode] ASC)
) ON [PRIMARY]
GO
/****** Object:  Table [dbo].[Room] ******/
CREATE TABLE [dbo].[Room](
	[HotelId] [int] NOT NULL,
	[RoomNumber] [smallint] NOT NULL,
	[RoomTypeCode] [char](3) NOT NULL,
	[Floor] [tinyint] NOT NULL,
	[IsSmoking] [bit] NOT NULL,
 CONSTRAINT [PK_Room] PRIMARY KEY CLUSTERED ([HotelId] ASC, [RoomNumber] ASC)
) ON [PRIMARY]
GO
/****** Object:  Table [dbo].[Guest] ******/
CREATE TABLE [dbo].[Guest](
	[GuestId] [uniqueidentifier] ROWGUIDCOL NOT NULL CONSTRAINT [DF_Guest_GuestId] DEFAULT (newid()),
	[FirstName] [nvarchar](50) NOT NULL,
	[LastName] [nvarchar](50) NOT NULL,
	[Email] [nvarchar](120) NULL,
	[Nationality] [char](2) NULL,
	[LoyaltyTier] [varchar](10) NOT NULL,
 CONSTRAINT [PK_Guest] PRIMARY KEY CLUSTERED ([GuestId] ASC),
 CONSTRAINT [UQ_Guest_Email] UNIQUE NONCLUSTERED ([Email] ASC)
) ON [PRIMARY]
GO
/****** Object:  Table [dbo].[Booking] ******/
CREATE TABLE [dbo].[Booking](
	[BookingId] [int] IDENTITY(1000,1) NOT NULL,
	[GuestId] [uniqueidentifier] NOT NULL,
	[HotelId] [int] NOT NULL,
	[RoomNumber] [smallint] NOT NULL,
	[CheckIn] [date] NOT NULL,
	[CheckOut] [date] NOT NULL,
	[Status] [varchar](12) NOT NULL,
	[NightlyRate] [decimal](8, 2) NOT NULL,
	[CreatedAt] [datetime2](0) NOT NULL,
 CONSTRAINT [PK_Booking] PRIMARY KEY CLUSTERED ([BookingId] ASC)
) ON [PRIMARY]
GO
/****** Object:  Table [dbo].[Service] ******/
CREATE TABLE [dbo].[Service](
	[ServiceId] [int] IDENTITY(1,1) NOT NULL,
	[ServiceName] [nvarchar](60) NOT NULL,
	[UnitPrice] [smallmoney] NOT NULL,
 CONSTRAINT [PK_Service] PRIMARY KEY CLUSTERED ([ServiceId] ASC)
) ON [PRIMARY]
GO
/****** Object:  Table [dbo].[BookingService] ******/
CREATE TABLE [dbo].[BookingService](
	[BookingId] [int] NOT NULL,
	[ServiceId] [int] NOT NULL,
	[Quantity] [int] NOT NULL,
	[UsedOn] [date] NOT NULL,
 CONSTRAINT [PK_BookingService] PRIMARY KEY CLUSTERED ([BookingId] ASC, [ServiceId] ASC, [UsedOn] ASC)
) ON [PRIMARY]
GO
/****** Object:  Table [dbo].[Payment] ******/
CREATE TABLE [dbo].[Payment](
	[PaymentId] [bigint] IDENTITY(1,1) NOT NULL,
	[BookingId] [int] NOT NULL,
	[Amount] [money] NOT NULL,
	[Method] [varchar](10) NOT NULL,
	[PaidAt] [datetime] NOT NULL,
 CONSTRAINT [PK_Payment] PRIMARY KEY CLUSTERED ([PaymentId] ASC)
) ON [PRIMARY]
GO
/****** Object:  Table [dbo].[Review] ******/
CREATE TABLE [dbo].[Review](
	[ReviewId] [int] IDENTITY(1,1) NOT NULL,
	[BookingId] [int] NOT NULL,
	[Score] [tinyint] NOT NULL,
	[Comment] [nvarchar](max) NULL,
	[PostedOn] [date] NOT NULL,
 CONSTRAINT [PK_Review] PRIMARY KEY CLUSTERED ([ReviewId] ASC),
 CONSTRAINT [UQ_Review_Booking] UNIQUE NONCLUSTERED ([BookingId] ASC)
) ON [PRIMARY] TEXTIMAGE_ON [PRIMARY]
GO
SET IDENTITY_INSERT [dbo].[Hotel] ON 

INSERT [dbo].[Hotel] ([HotelId], [HotelName], [City], [StarRating], [OpenedOn], [ManagerId]) VALUES (1, N'The Amber Court', N'Lisbon', 4, CAST(N'2006-05-12' AS Date), 1)
INSERT [dbo].[Hotel] ([HotelId], [HotelName], [City], [StarRating], [OpenedOn], [ManagerId]) VALUES (2, N'Hôtel du Vieux Pont', N'Lyon', 3, CAST(N'1998-03-01' AS Date), 3)
INSERT [dbo].[Hotel] ([HotelId], [HotelName], [City], [StarRating], [OpenedOn], [ManagerId]) VALUES (3, N'Lakeside Lodge', N'Como', 5, NULL, NULL)
SET IDENTITY_INSERT [dbo].[Hotel] OFF
GO
SET IDENTITY_INSERT [dbo].[Employee] ON 

INSERT [dbo].[Employee] ([EmployeeId], [HotelId], [FullName], [JobTitle], [Salary], [ReportsToId], [HiredOn]) VALUES (1, 1, N'Catarina Velhoso', N'General Manager', 58000.0000, NULL, CAST(N'2010-01-11' AS Date))
INSERT [dbo].[Employee] ([EmployeeId], [HotelId], [FullName], [JobTitle], [Salary], [ReportsToId], [HiredOn]) VALUES (2, 1, N'Hugo Marrant', N'Receptionist', 24500.0000, 1, CAST(N'2021-06-01' AS Date))
INSERT [dbo].[Employee] ([EmployeeId], [HotelId], [FullName], [JobTitle], [Salary], [ReportsToId], [HiredOn]) VALUES (3, 2, N'Odile Brassac', N'General Manager', 51000.0000, NULL, CAST(N'2012-09-03' AS Date))
INSERT [dbo].[Employee] ([EmployeeId], [HotelId], [FullName], [JobTitle], [Salary], [ReportsToId], [HiredOn]) VALUES (4, 3, N'Elio Fantacci', N'Concierge', NULL, NULL, CAST(N'2023-04-17' AS Date))
SET IDENTITY_INSERT [dbo].[Employee] OFF
GO
INSERT [dbo].[RoomType] ([RoomTypeCode], [Description], [MaxGuests], [BaseRate]) VALUES (N'SGL', N'Single room', 1, CAST(79.00 AS Decimal(8, 2)))
INSERT [dbo].[RoomType] ([RoomTypeCode], [Description], [MaxGuests], [BaseRate]) VALUES (N'DBL', N'Double room', 2, CAST(118.00 AS Decimal(8, 2)))
INSERT [dbo].[RoomType] ([RoomTypeCode], [Description], [MaxGuests], [BaseRate]) VALUES (N'STE', N'Suite with balcony', 4, CAST(265.50 AS Decimal(8, 2)))
GO
INSERT [dbo].[Room] ([HotelId], [RoomNumber], [RoomTypeCode], [Floor], [IsSmoking]) VALUES (1, 101, N'SGL', 1, 0)
INSERT [dbo].[Room] ([HotelId], [RoomNumber], [RoomTypeCode], [Floor], [IsSmoking]) VALUES (1, 102, N'DBL', 1, 0)
INSERT [dbo].[Room] ([HotelId], [RoomNumber], [RoomTypeCode], [Floor], [IsSmoking]) VALUES (1, 301, N'STE', 3, 1)
INSERT [dbo].[Room] ([HotelId], [RoomNumber], [RoomTypeCode], [Floor], [IsSmoking]) VALUES (2, 101, N'DBL', 1, 0)
INSERT [dbo].[Room] ([HotelId], [RoomNumber], [RoomTypeCode], [Floor], [IsSmoking]) VALUES (3, 12, N'STE', 2, 0)
GO
INSERT [dbo].[Guest] ([GuestId], [FirstName], [LastName], [Email], [Nationality], [LoyaltyTier]) VALUES (N'0a4b7a3e-51c0-4f2f-8b11-000000000001', N'Wilhelmina', N'Ostrander', N'w.ostrander@example.com', N'NL', N'gold')
INSERT [dbo].[Guest] ([GuestId], [FirstName], [LastName], [Email], [Nationality], [LoyaltyTier]) VALUES (N'0a4b7a3e-51c0-4f2f-8b11-000000000002', N'Ravi', N'Sundaresh', N'ravi.s@example.org', N'IN', N'basic')
INSERT [dbo].[Guest] ([GuestId], [FirstName], [LastName], [Email], [Nationality], [LoyaltyTier]) VALUES (N'0a4b7a3e-51c0-4f2f-8b11-000000000003', N'Mireille', N'O''Connacht', N'mireille@example.net', N'IE', N'silver')
GO
SET IDENTITY_INSERT [dbo].[Booking] ON 

INSERT [dbo].[Booking] ([BookingId], [GuestId], [HotelId], [RoomNumber], [CheckIn], [CheckOut], [Status], [NightlyRate], [CreatedAt]) VALUES (1000, N'0a4b7a3e-51c0-4f2f-8b11-000000000001', 1, 102, CAST(N'2024-01-12' AS Date), CAST(N'2024-01-15' AS Date), N'checked_out', CAST(112.10 AS Decimal(8, 2)), CAST(N'2023-12-02T18:22:10' AS DateTime2))
INSERT [dbo].[Booking] ([BookingId], [GuestId], [HotelId], [RoomNumber], [CheckIn], [CheckOut], [Status], [NightlyRate], [CreatedAt]) VALUES (1001, N'0a4b7a3e-51c0-4f2f-8b11-000000000002', 2, 101, CAST(N'2024-02-03' AS Date), CAST(N'2024-02-04' AS Date), N'confirmed', CAST(95.00 AS Decimal(8, 2)), CAST(N'2024-01-20T07:15:44' AS DateTime2))
INSERT [dbo].[Booking] ([BookingId], [GuestId], [HotelId], [RoomNumber], [CheckIn], [CheckOut], [Status], [NightlyRate], [CreatedAt]) VALUES (1002, N'0a4b7a3e-51c0-4f2f-8b11-000000000003', 3, 12, CAST(N'2024-02-09' AS Date), CAST(N'2024-02-13' AS Date), N'cancelled', CAST(265.50 AS Decimal(8, 2)), CAST(N'2024-01-22T21:40:05' AS DateTime2))
INSERT [dbo].[Booking] ([BookingId], [GuestId], [HotelId], [RoomNumber], [CheckIn], [CheckOut], [Status], [NightlyRate], [CreatedAt]) VALUES (1003, N'0a4b7a3e-51c0-4f2f-8b11-000000000001', 1, 301, CAST(N'2024-03-01' AS Date), CAST(N'2024-03-05' AS Date), N'confirmed', CAST(240.00 AS Decimal(8, 2)), CAST(N'2024-02-01T11:03:27' AS DateTime2))
SET IDENTITY_INSERT [dbo].[Booking] OFF
GO
SET IDENTITY_INSERT [dbo].[Service] ON 

INSERT [dbo].[Service] ([ServiceId], [ServiceName], [UnitPrice]) VALUES (1, N'Breakfast buffet', 14.5000)
INSERT [dbo].[Service] ([ServiceId], [ServiceName], [UnitPrice]) VALUES (2, N'Airport transfer', 35.0000)
INSERT [dbo].[Service] ([ServiceId], [ServiceName], [UnitPrice]) VALUES (3, N'Spa, half day', 60.0000)
SET IDENTITY_INSERT [dbo].[Service] OFF
GO
INSERT [dbo].[BookingService] ([BookingId], [ServiceId], [Quantity], [UsedOn]) VALUES (1000, 1, 2, CAST(N'2024-01-13' AS Date))
INSERT [dbo].[BookingService] ([BookingId], [ServiceId], [Quantity], [UsedOn]) VALUES (1000, 1, 2, CAST(N'2024-01-14' AS Date))
INSERT [dbo].[BookingService] ([BookingId], [ServiceId], [Quantity], [UsedOn]) VALUES (1000, 2, 1, CAST(N'2024-01-15' AS Date))
INSERT [dbo].[BookingService] ([BookingId], [ServiceId], [Quantity], [UsedOn]) VALUES (1003, 3, 2, CAST(N'2024-03-02' AS Date))
GO
SET IDENTITY_INSERT [dbo].[Payment] ON 

INSERT [dbo].[Payment] ([PaymentId], [BookingId], [Amount], [Method], [PaidAt]) VALUES (1, 1000, 429.3000, N'card', CAST(N'2024-01-15T10:31:00.000' AS DateTime))
INSERT [dbo].[Payment] ([PaymentId], [BookingId], [Amount], [Method], [PaidAt]) VALUES (2, 1001, 95.0000, N'transfer', CAST(N'2024-01-20T07:16:00.000' AS DateTime))
INSERT [dbo].[Payment] ([PaymentId], [BookingId], [Amount], [Method], [PaidAt]) VALUES (3, 1003, 480.0000, N'card', CAST(N'2024-02-01T11:04:00.000' AS DateTime))
SET IDENTITY_INSERT [dbo].[Payment] OFF
GO
SET IDENTITY_INSERT [dbo].[Review] ON 

INSERT [dbo].[Review] ([ReviewId], [BookingId], [Score], [Comment], [PostedOn]) VALUES (1, 1000, 9, N'Quiet room, superb breakfast. Would return.', CAST(N'2024-01-18' AS Date))
SET IDENTITY_INSERT [dbo].[Review] OFF
GO
ALTER TABLE [dbo].[Room] ADD  CONSTRAINT [DF_Room_IsSmoking]  DEFAULT ((0)) FOR [IsSmoking]
GO
ALTER TABLE [dbo].[Guest] ADD  CONSTRAINT [DF_Guest_LoyaltyTier]  DEFAULT ('basic') FOR [LoyaltyTier]
GO
ALTER TABLE [dbo].[Booking] ADD  CONSTRAINT [DF_Booking_CreatedAt]  DEFAULT (sysdatetime()) FOR [CreatedAt]
GO
ALTER TABLE [dbo].[Hotel]  WITH CHECK ADD  CONSTRAINT [FK_Hotel_Manager] FOREIGN KEY([ManagerId])
REFERENCES [dbo].[Employee] ([EmployeeId])
GO
ALTER TABLE [dbo].[Hotel] CHECK CONSTRAINT [FK_Hotel_Manager]
GO
ALTER TABLE [dbo].[Employee]  WITH CHECK ADD  CONSTRAINT [FK_Employee_Hotel] FOREIGN KEY([HotelId])
REFERENCES [dbo].[Hotel] ([HotelId])
GO
ALTER TABLE [dbo].[Employee] CHECK CONSTRAINT [FK_Employee_Hotel]
GO
ALTER TABLE [dbo].[Employee]  WITH CHECK ADD  CONSTRAINT [FK_Employee_ReportsTo] FOREIGN KEY([ReportsToId])
REFERENCES [dbo].[Employee] ([EmployeeId])
GO
ALTER TABLE [dbo].[Employee] CHECK CONSTRAINT [FK_Employee_ReportsTo]
GO
ALTER TABLE [dbo].[Room]  WITH CHECK ADD  CONSTRAINT [FK_Room_Hotel] FOREIGN KEY([HotelId])
REFERENCES [dbo].[Hotel] ([HotelId])
ON DELETE CASCADE
GO
ALTER TABLE [dbo].[Room] CHECK CONSTRAINT [FK_Room_Hotel]
GO
ALTER TABLE [dbo].[Room]  WITH CHECK ADD  CONSTRAINT [FK_Room_RoomType] FOREIGN KEY([RoomTypeCode])
REFERENCES [dbo].[RoomType] ([RoomTypeCode])
GO
ALTER TABLE [dbo].[Booking]  WITH CHECK ADD  CONSTRAINT [FK_Booking_Guest] FOREIGN KEY([GuestId])
REFERENCES [dbo].[Guest] ([GuestId])
GO
ALTER TABLE [dbo].[Booking]  WITH NOCHECK ADD  CONSTRAINT [FK_Booking_Room] FOREIGN KEY([HotelId], [RoomNumber])
REFERENCES [dbo].[Room] ([HotelId], [RoomNumber])
GO
ALTER TABLE [dbo].[BookingService]  WITH CHECK ADD  CONSTRAINT [FK_BookingService_Booking] FOREIGN KEY([BookingId])
REFERENCES [dbo].[Booking] ([BookingId])
ON UPDATE CASCADE
ON DELETE CASCADE
GO
ALTER TABLE [dbo].[BookingService]  WITH CHECK ADD  CONSTRAINT [FK_BookingService_Service] FOREIGN KEY([ServiceId])
REFERENCES [dbo].[Service] ([ServiceId])
GO
ALTER TABLE [dbo].[Payment]  WITH CHECK ADD  CONSTRAINT [FK_Payment_Booking] FOREIGN KEY([BookingId])
REFERENCES [dbo].[Booking] ([BookingId])
GO
ALTER TABLE [dbo].[Review]  WITH CHECK ADD  CONSTRAINT [FK_Review_Booking] FOREIGN KEY([BookingId])
REFERENCES [dbo].[Booking] ([BookingId])
ON DELETE CASCADE
GO
ALTER TABLE [dbo].[Hotel]  WITH CHECK ADD  CONSTRAINT [CK_Hotel_StarRating] CHECK  (([StarRating]>=(1) AND [StarRating]<=(5)))
GO
ALTER TABLE [dbo].[Booking]  WITH CHECK ADD  CONSTRAINT [CK_Booking_Dates] CHECK  (([CheckOut]>[CheckIn]))
GO
ALTER TABLE [dbo].[Booking]  WITH CHECK ADD  CONSTRAINT [CK_Booking_Status] CHECK  (([Status]='confirmed' OR [Status]='checked_in' OR [Status]='checked_out' OR [Status]='cancelled'))
GO
EXEC sys.sp_addextendedproperty @name=N'MS_Description', @value=N'Nights stayed are CheckOut minus CheckIn' , @level0type=N'SCHEMA',@level0name=N'dbo', @level1type=N'TABLE',@level1name=N'Booking', @level2type=N'COLUMN',@level2name=N'CheckOut'
GO
EXEC sys.sp_addextendedproperty @name=N'MS_Description', @value=N'Guests of all hotels of the chain' , @level0type=N'SCHEMA',@level0name=N'dbo', @level1type=N'TABLE',@level1name=N'Guest'
GO
